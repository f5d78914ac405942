#include "cli/lsp/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "cli/build_info.h"
#include "cli/lsp/requests.h"
#include "core/base/md5.h"
#include "core/base/text.h"

namespace cnsched::cli::lsp {

namespace {

// MessageType.
constexpr int kErrorMessage = 1;
constexpr int kWarningMessage = 2;

constexpr std::string_view kSection = "cnsched";
constexpr const char* kConfiguration = "workspace/configuration";
constexpr const char* kCreateProgress = "window/workDoneProgress/create";

bool has_string(const Json& list, std::string_view wanted) {
  return list.is_array() &&
         std::ranges::any_of(list, [&](const Json& item) { return string_of(item) == wanted; });
}

/// The encoding of positions: UTF-8 if the client offers it.
PositionEncoding chosen_encoding(const Json& capabilities) {
  const Json& offered = member(capabilities, {"general", "positionEncodings"});
  return has_string(offered, "utf-8") ? PositionEncoding::utf8 : PositionEncoding::utf16;
}

ClientAbilities abilities_in(const Json& all) {
  return {
      .encoding = chosen_encoding(all),
      .related_information =
          is_true(member(all, {"textDocument", "publishDiagnostics", "relatedInformation"})),
      .pulls = member(all, {"textDocument", "diagnostic"}).is_object(),
      .refreshes = is_true(member(all, {"workspace", "diagnostics", "refreshSupport"})),
      .refreshes_hints = is_true(member(all, {"workspace", "inlayHint", "refreshSupport"})),
      .watches =
          is_true(member(all, {"workspace", "didChangeWatchedFiles", "dynamicRegistration"})),
      .document_changes = is_true(member(all, {"workspace", "workspaceEdit", "documentChanges"})),
      .nests_symbols = is_true(
          member(all, {"textDocument", "documentSymbol", "hierarchicalDocumentSymbolSupport"})),
      .configures = is_true(member(all, {"workspace", "configuration"})),
      .registers_settings =
          is_true(member(all, {"workspace", "didChangeConfiguration", "dynamicRegistration"})),
      .shows_progress = is_true(member(all, {"window", "workDoneProgress"})),
      .hovers_in_markdown =
          has_string(member(all, {"textDocument", "hover", "contentFormat"}), "markdown"),
  };
}

Json capabilities(const ClientAbilities& client) {
  constexpr int kIncremental = 2;
  return {
      {"positionEncoding", client.encoding == PositionEncoding::utf8 ? "utf-8" : "utf-16"},
      {"textDocumentSync", {{"openClose", true}, {"change", kIncremental}, {"save", true}}},
      {"diagnosticProvider",
       {{"identifier", kSection}, {"interFileDependencies", true}, {"workspaceDiagnostics", true}}},
      {"codeActionProvider", {{"codeActionKinds", {kFixKind, kPinKind}}}},
      {"hoverProvider", true},
      {"definitionProvider", true},
      {"referencesProvider", true},
      {"documentSymbolProvider", true},
      {"inlayHintProvider", true},
      {"executeCommandProvider", {{"commands", command_names()}}},
      // Keys and values may contain dots and slashes, which end words in editors.
      {"completionProvider",
       {{"triggerCharacters", {":", " ", ".", "/"}}, {"resolveProvider", false}}},
      {"workspace", {{"workspaceFolders", {{"supported", true}, {"changeNotifications", true}}}}},
  };
}

/// The paths of folders that are files, from WorkspaceFolder[].
std::vector<std::string> folders_in(const Json& list) {
  std::vector<std::string> folders;
  if (!list.is_array()) return folders;
  for (const Json& folder : list) {
    auto path = path_of_uri(string_of(member(folder, "uri")));
    if (path) folders.push_back(*std::move(path));
  }
  return folders;
}

void take_strings(const Json& list, std::vector<std::string>& target) {
  if (!list.is_array()) return;
  for (const Json& item : list) {
    if (item.is_string()) target.push_back(item.get<std::string>());
  }
}

/// Identifies diagnostics.
std::string result_id(const Json& diagnostics) { return md5_hex(text_of(diagnostics)); }

/// A DocumentDiagnosticReport: without the diagnostics if the client has them already.
Json report_of(Json diagnostics, const std::string& previous_id) {
  std::string id = result_id(diagnostics);
  if (previous_id == id) return {{"kind", "unchanged"}, {"resultId", std::move(id)}};
  return {{"kind", "full"}, {"resultId", std::move(id)}, {"items", std::move(diagnostics)}};
}

}  // namespace

Server::Server(Settings settings, std::ostream& out)
    : out_(out), options_(settings), checker_(std::move(settings), documents_) {}

void Server::handle(const Incoming& incoming) {
  switch (incoming.kind) {
    case Incoming::Kind::end:
      if (!incoming.problem.empty()) {
        send(response_to(nullptr, RpcError{ErrorCode::parse_error, incoming.problem}));
      }
      was_shut_down_ = false;  // the client has not sent `exit`
      state_ = State::ended;
      return;
    case Incoming::Kind::invalid:
      send(response_to(nullptr, RpcError{ErrorCode::parse_error, incoming.problem}));
      return;
    case Incoming::Kind::message:
      break;
  }
  cancelled_ = incoming.is_cancelled.get();
  dispatch(incoming.json);
  cancelled_ = nullptr;
}

void Server::dispatch(const Json& message) {
  const Json& id = member(message, "id");
  const Json& params = member(message, "params");
  const std::string method = string_of(member(message, "method"));
  const bool is_request = message.is_object() && message.contains("id");
  if (method == "exit") {
    state_ = State::ended;
    return;
  }
  if (method.empty()) {
    if (is_request && (message.contains("result") || message.contains("error"))) {
      return take_result(message);
    }
    return send(response_to(is_request_id(id) ? id : Json(),
                            RpcError{ErrorCode::invalid_request, "the message has no method"}));
  }
  if (is_request && !is_request_id(id)) {
    return send(response_to(
        nullptr, RpcError{ErrorCode::invalid_request, "the id is no string and no integer"}));
  }
  try {
    if (is_request) {
      const auto is_cancelled = [&] {
        return state_ == State::running && session().is_cancelled();
      };
      Reply reply = is_cancelled() ? Json() : answer(method, params);
      if (is_cancelled()) {
        reply = RpcError{ErrorCode::request_cancelled, "the client has cancelled it"};
      }
      send(response_to(id, std::move(reply)));
    } else if (state_ == State::running) {
      notice(method, params);
    }
  } catch (const std::exception& bug) {
    const std::string text =
        fmt::format("internal error, please report it: {}: {}", printable(method), bug.what());
    if (is_request) {
      send(response_to(id, RpcError{ErrorCode::internal_error, text}));
    } else {
      show("window/logMessage", kErrorMessage, text);
    }
  }
}

Reply Server::answer(const std::string& method, const Json& params) {
  if (state_ == State::uninitialized) {
    if (method == "initialize") return initialize(params);
    return RpcError{ErrorCode::server_not_initialized, "the first request is 'initialize'"};
  }
  if (state_ == State::shut_down || method == "initialize") {
    return RpcError{ErrorCode::invalid_request,
                    state_ == State::running ? "it is initialized" : "it is shut down"};
  }
  if (method == "shutdown") {
    was_shut_down_ = true;
    state_ = State::shut_down;
    return Json();
  }
  static const std::map<std::string_view, Reply (Server::*)(const Json&)> kMethods = {
      {"textDocument/diagnostic", &Server::document_diagnostics},
      {"workspace/diagnostic", &Server::workspace_diagnostics},
      {"workspace/executeCommand", &Server::run_command},
  };
  const auto found = kMethods.find(method);
  if (found != kMethods.end()) return (this->*found->second)(params);
  const DocumentRequest* request = find_document_request(method);
  if (request != nullptr) return answer_about_document(*request, params);
  return RpcError{ErrorCode::method_not_found,
                  fmt::format("unknown method '{}'", printable(method))};
}

Reply Server::answer_about_document(const DocumentRequest& request, const Json& params) {
  Question question{.path = {}, .params = params};
  if (request.asks_about == AsksAbout::range) {
    const auto range = range_in(member(params, "range"));
    if (!range) return invalid_params("the range is invalid");
    question.range = *range;
  }
  if (request.asks_about == AsksAbout::place) {
    const auto place = place_in(member(params, "position"));
    if (!place) return invalid_params("the position is invalid");
    question.place = *place;
    question.range = {*place, *place};
  }
  refresh();
  const auto path = path_of_uri(string_of(member(params, {"textDocument", "uri"})));
  if (!path || checker_.project() == nullptr) {
    return request.answers_list ? Json::array() : Json();
  }
  question.path = *path;
  const Checker::File* file = checker_.find(*path);
  if (request.needs_tree && file != nullptr) {
    checker_.show_last_good(*path, *session().offset_at(*file->source, question.place));
  }
  Json answer = request.answer(question, session());
  checker_.show_current();
  return answer;
}

void Server::notice(const std::string& method, const Json& params) {
  if (method == "initialized") return initialized();
  if (method == "workspace/didChangeWorkspaceFolders") return change_folders(params);
  if (method == "workspace/didChangeConfiguration") {
    const Json& settings = member(params, {"settings", kSection});
    // A client from which the server requests settings only reports that they have changed.
    if (settings.is_null() && client_.configures) return ask_for_settings();
    return change_settings(settings);
  }
  if (method == "workspace/didChangeWatchedFiles" || method == "textDocument/didSave") {
    has_changed_ = true;
    return;
  }
  const auto take = [&](const Result<bool>& result) {
    if (!result) {
      return show("window/logMessage", kErrorMessage, method + ": " + result.error().message);
    }
    if (*result) change_document(params);
  };
  if (method == "textDocument/didChange") return take(documents_.change(params, client_.encoding));
  if (method == "textDocument/didOpen") take(documents_.open(params));
  if (method == "textDocument/didClose") take(documents_.close(params));
  has_changed_ = has_changed_ || !edited_.empty();
}

Reply Server::initialize(const Json& params) {
  client_ = abilities_in(member(params, "capabilities"));
  folders_ = folders_in(member(params, "workspaceFolders"));
  if (folders_.empty()) {
    const auto root = path_of_uri(string_of(member(params, "rootUri")));
    const std::string path = string_of(member(params, "rootPath"));
    if (root) {
      folders_.push_back(*root);
    } else if (path.starts_with('/')) {
      folders_.push_back(path);
    }
  }
  checker_.set_folders(folders_);
  change_settings(member(params, "initializationOptions"));
  state_ = State::running;
  return Json{{"capabilities", capabilities(client_)},
              {"serverInfo", {{"name", "cnsched"}, {"version", kBuildInfo.version}}}};
}

void Server::initialized() {
  is_ready_ = true;
  Json registrations = Json::array();
  if (client_.watches) {
    Json watchers = Json::array();
    for (const char* pattern : {"**/*.{yaml,yml,json}", "**/.gitignore"}) {
      watchers.push_back({{"globPattern", pattern}});
    }
    registrations.push_back({{"id", "files"},
                             {"method", "workspace/didChangeWatchedFiles"},
                             {"registerOptions", {{"watchers", watchers}}}});
  }
  if (client_.registers_settings) {
    registrations.push_back({{"id", "settings"},
                             {"method", "workspace/didChangeConfiguration"},
                             {"registerOptions", {{"section", kSection}}}});
  }
  if (!registrations.empty()) {
    send_request("client/registerCapability", {{"registrations", std::move(registrations)}});
  }
  if (client_.configures) ask_for_settings();
}

void Server::ask_for_settings() {
  send_request(kConfiguration, {{"items", {{{"section", kSection}}}}});
}

void Server::change_document(const Json& params) {
  const auto path = path_of_uri(string_of(member(params, {"textDocument", "uri"})));
  if (path) edited_.insert(*path);
}

void Server::change_folders(const Json& params) {
  for (const std::string& removed : folders_in(member(params, {"event", "removed"}))) {
    std::erase(folders_, removed);
  }
  for (std::string& added : folders_in(member(params, {"event", "added"}))) {
    if (!is_one_of(added, folders_)) folders_.push_back(std::move(added));
  }
  checker_.set_folders(folders_);
  has_changed_ = true;
}

/// Only what selects rules and files: settings may come from the workspace, which is untrusted.
void Server::change_settings(const Json& settings) {
  if (!settings.is_object() || settings == settings_) return;
  settings_ = settings;
  Settings changed = options_;
  take_strings(member(settings, "select"), changed.selection.select);
  take_strings(member(settings, "ignore"), changed.selection.ignore);
  take_strings(member(settings, "extendSelect"), changed.selection.extend_select);
  take_strings(member(settings, "severity"), changed.selection.severity);
  take_strings(member(settings, "exclude"), changed.input.exclude);
  checker_.settings() = std::move(changed);
  has_changed_ = true;
}

void Server::take_result(const Json& message) {
  const auto id = number_of(member(message, "id"));
  const auto asked = id ? asked_.find(*id) : asked_.end();
  if (asked == asked_.end()) return;
  if (message.contains("error")) {
    if (asked->second == kCreateProgress) client_.shows_progress = false;
    show("window/logMessage", kWarningMessage,
         fmt::format("{}: {}", asked->second, string_of(member(message, {"error", "message"}))));
  } else if (asked->second == kConfiguration) {
    const Json& settings = member(message, "result");
    change_settings(settings.is_array() && !settings.empty() ? settings.front() : Json());
  }
  asked_.erase(asked);
}

void Server::settle() {
  if (state_ != State::running || !is_ready_ || !needs_check()) return;
  try {
    refresh();
  } catch (const std::exception& bug) {
    show("window/logMessage", kErrorMessage,
         fmt::format("internal error, please report it: {}", bug.what()));
  }
}

void Server::refresh() {
  checker_.show_current();  // a question that failed may have left another text there
  if (!needs_check()) return;
  bool same_texts = !has_changed_ && edited_.size() == 1;
  if (same_texts) {
    same_texts = checker_.check_change(*edited_.begin());
  } else {
    has_changed_ = false;
    std::string token;
    checker_.check([&](const std::string& step) { report_progress(step, token); });
    if (!token.empty()) report_progress(token, {{"kind", "end"}});
  }
  show_problems();
  publish(same_texts);
}

/// Begins the work with its first step.
void Server::report_progress(const std::string& step, std::string& token) {
  if (!client_.shows_progress) return;
  if (!token.empty()) return report_progress(token, {{"kind", "report"}, {"message", step}});
  token = fmt::format("cnsched/{}", last_id_ + 1);
  send_request(kCreateProgress, {{"token", token}});
  report_progress(token, {{"kind", "begin"}, {"title", "cnsched"}, {"message", step}});
}

void Server::report_progress(const std::string& token, const Json& value) {
  send(notification("$/progress", {{"token", token}, {"value", value}}));
}

void Server::show_problems() {
  if (checker_.problems() == problems_) return;
  problems_ = checker_.problems();
  const bool is_unchecked = checker_.project() == nullptr;
  for (const std::string& problem : problems_) {
    show(is_unchecked ? "window/showMessage" : "window/logMessage", kErrorMessage, problem);
  }
}

void Server::publish(bool same_texts) {
  std::set<std::string> paths;
  for (const auto& [path, published] : published_) {
    if (published.any) paths.insert(path);
  }
  for (const auto& [path, file] : checker_.files()) {
    if (!file.findings.empty()) paths.insert(path);
  }
  paths.insert(edited_.begin(), edited_.end());
  bool others_differ = false;
  for (const std::string& path : paths) {
    const Checker::File* file = checker_.find(path);
    const std::size_t signature = file == nullptr ? 0 : signature_of(*file);
    Published& published = published_[path];
    const bool is_edited = edited_.contains(path);
    if (same_texts && !is_edited && published.signature == signature && !has_note_in_edited(file)) {
      continue;
    }
    const Json diagnostics = diagnostics_of(path, session());
    std::string id = result_id(diagnostics);
    const bool differs = published.result_id != id;
    published = {std::move(id), signature, !diagnostics.empty()};
    others_differ = others_differ || (differs && !is_edited);
    if (!client_.pulls && (differs || is_edited)) publish(path, diagnostics);
  }
  edited_.clear();
  if (client_.pulls && client_.refreshes && others_differ) {
    send_request("workspace/diagnostic/refresh", nullptr);
  }
  // The client asks again for those of a document that it changes.
  if (client_.refreshes_hints && (others_differ || !same_texts)) {
    send_request("workspace/inlayHint/refresh", nullptr);
  }
}

/// Lines in an edited document may have moved.
bool Server::has_note_in_edited(const Checker::File* file) const {
  return file != nullptr && std::ranges::any_of(file->findings, [&](const Diagnostic* finding) {
           return std::ranges::any_of(finding->notes, [&](const Note& note) {
             return edited_.contains(checker_.path_of(note.where.file));
           });
         });
}

void Server::publish(const std::string& path, const Json& diagnostics) {
  Json params = {{"uri", session().uri_of(path)}, {"diagnostics", diagnostics}};
  if (const OpenDocument* open = documents_.find(path)) params["version"] = open->version;
  send(notification("textDocument/publishDiagnostics", std::move(params)));
}

Reply Server::document_diagnostics(const Json& params) {
  const std::string uri = string_of(member(params, {"textDocument", "uri"}));
  if (uri.empty()) return invalid_params("textDocument.uri is missing");
  refresh();
  const auto path = path_of_uri(uri);
  return report_of(path ? diagnostics_of(*path, session()) : Json::array(),
                   string_of(member(params, "previousResultId")));
}

Reply Server::workspace_diagnostics(const Json& params) {
  std::map<std::string, std::string> previous;  // result ids by path
  const Json& known = member(params, "previousResultIds");
  if (known.is_array()) {
    for (const Json& each : known) {
      auto path = path_of_uri(string_of(member(each, "uri")));
      if (path) previous[*std::move(path)] = string_of(member(each, "value"));
    }
  }
  refresh();
  std::set<std::string> paths;
  for (const auto& [path, id] : previous) paths.insert(path);
  for (const auto& [path, file] : checker_.files()) paths.insert(path);
  Json reports = Json::array();
  for (const std::string& path : paths) {
    Json report = report_of(diagnostics_of(path, session()), previous[path]);
    report["uri"] = session().uri_of(path);
    const OpenDocument* open = documents_.find(path);
    report["version"] = open != nullptr ? Json(open->version) : Json();
    reports.push_back(std::move(report));
  }
  return Json{{"items", std::move(reports)}};
}

Reply Server::run_command(const Json& params) {
  refresh();
  return execute_command(params, session());
}

void Server::send(const Json& message) { write_message(message, out_); }

void Server::send_request(const std::string& method, Json params) {
  // A client that never answers must not make the list grow.
  constexpr std::size_t kMost = 100;
  if (asked_.size() >= kMost) asked_.erase(asked_.begin());
  asked_[++last_id_] = method;
  send(request(last_id_, method, std::move(params)));
}

void Server::show(std::string_view method, int type, const std::string& text) {
  send(notification(std::string(method), {{"type", type}, {"message", "cnsched: " + text}}));
}

Exit serve(const Settings& settings, std::istream& in, std::ostream& out) {
  Inbox inbox(in);
  Server server(settings, out);
  while (!server.has_ended()) {
    server.handle(inbox.take());
    if (inbox.empty()) server.settle();
  }
  return server.exit();
}

}  // namespace cnsched::cli::lsp
