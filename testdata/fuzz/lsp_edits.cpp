// Fuzzes what the language server checks after an edit: a server that follows edits publishes the
// same findings as a new one that opens the same texts, whatever it was asked in between. The input
// is split at lines "=== NAME": texts of files, one after the other. The first text of a name opens
// the file, and the next one edits it. Each edit replaces only what differs.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>

#include "cli/lsp/documents.h"
#include "cli/lsp/server.h"
#include "core/base/diff.h"
#include "testdata/fuzz/fuzz.h"

namespace cnsched::fuzz {

namespace {

namespace lsp = cli::lsp;
using cli::Json;
using Texts = std::map<std::string, std::string>;  // by URI

/// A server and the findings that it has published.
class Session {
 public:
  Session(const ScratchDirectory& folder, lsp::PositionEncoding encoding) {
    Json abilities;
    if (encoding == lsp::PositionEncoding::utf8) {
      abilities["general"]["positionEncodings"] = {"utf-8"};
    }
    const Json folders = {{{"uri", lsp::uri_of_path(folder.root())}, {"name", "folder"}}};
    handle(lsp::request(1, "initialize",
                        {{"capabilities", abilities}, {"workspaceFolders", folders}}));
    handle(lsp::notification("initialized", Json::object()));
  }

  void open(const std::string& uri, const std::string& text) {
    const Json document = {{"uri", uri}, {"languageId", "yaml"}, {"version", 1}, {"text", text}};
    handle(lsp::notification("textDocument/didOpen", {{"textDocument", document}}));
  }
  void change(const std::string& uri, const lsp::PlaceRange& range, const std::string& text) {
    const Json document = {{"uri", uri}, {"version", ++version_}};
    const Json changes = Json::array({{{"range", lsp::json_of(range)}, {"text", text}}});
    handle(lsp::notification("textDocument/didChange",
                             {{"textDocument", document}, {"contentChanges", changes}}));
  }
  /// Sends every request about a document, at that place and around it.
  void ask(const std::string& uri, const lsp::Place& place) {
    const lsp::PlaceRange around{{place.line, 0}, {place.line + 1, 0}};
    for (const char* method : {"hover", "completion", "definition", "references", "documentSymbol",
                               "inlayHint", "codeAction"}) {
      handle(lsp::request(2, fmt::format("textDocument/{}", method),
                          {{"textDocument", {{"uri", uri}}},
                           {"position", lsp::json_of(around)["start"]},
                           {"range", lsp::json_of(around)}}));
      Json at_place = {{"textDocument", {{"uri", uri}}},
                       {"position", {{"line", place.line}, {"character", place.character}}}};
      handle(lsp::request(3, fmt::format("textDocument/{}", method), std::move(at_place)));
    }
  }
  /// Checks, and returns the findings of each file that has any.
  const std::map<std::string, Json>& published() {
    server_.settle();
    std::istringstream in(out_.str());
    out_.str("");
    lsp::FrameReader reader(in);
    for (lsp::Frame frame = reader.next(); frame.kind == lsp::Frame::Kind::body;
         frame = reader.next()) {
      const auto message = lsp::parse_json(frame.text);
      require(message.has_value(), "a message is not JSON");
      require(frame.text.find("internal error") == std::string::npos, frame.text);
      if (lsp::member(*message, "method") == "textDocument/publishDiagnostics") take(*message);
    }
    return published_;
  }

 private:
  void handle(Json message) {
    server_.handle({.kind = lsp::Incoming::Kind::message, .json = std::move(message)});
  }
  void take(const Json& message) {
    const std::string uri = lsp::string_of(lsp::member(message, {"params", "uri"}));
    const Json& findings = lsp::member(message, {"params", "diagnostics"});
    published_.erase(uri);
    if (!findings.empty()) published_[uri] = findings;
  }

  static lsp::Settings settings() {
    lsp::Settings settings;
    settings.input.jobs = 1;
    return settings;
  }

  std::ostringstream out_;
  lsp::Server server_{settings(), out_};
  std::map<std::string, Json> published_;
  int version_ = 1;
};

/// As a client sends it: UTF-8.
std::string valid(const std::string& text) {
  const auto json = lsp::parse_json(lsp::text_of(Json(text)));
  require(json.has_value(), "a text cannot be sent");
  return json->get<std::string>();
}

bool is_boundary(std::string_view text, std::size_t at) {
  constexpr unsigned kContinuation = 0x80;
  constexpr unsigned kMask = 0xC0;
  return at == text.size() || (static_cast<unsigned char>(text[at]) & kMask) != kContinuation;
}

/// The part of a text that an edit replaces, and what is inserted.
struct Difference {
  std::size_t begin = 0, end = 0;
  std::string inserted;
};

/// Whole texts if a line may end with CR: no position is between it and LF.
Difference difference(std::string_view before, std::string_view after) {
  if (before.find('\r') != std::string_view::npos) return {0, before.size(), std::string(after)};
  auto [same, tail] = common_ends(before, after);
  while (!is_boundary(before, same)) --same;
  while (tail > 0 && !is_boundary(before, before.size() - tail)) --tail;
  return {same, before.size() - tail, std::string(after.substr(same, after.size() - tail - same))};
}

lsp::PlaceRange range_of(const Difference& edit, const std::string& text,
                         lsp::PositionEncoding encoding) {
  const SourceFile file(0, "a.yaml", text);
  const auto place = [&](std::size_t offset) {
    const lsp::Place at =
        lsp::place_of(file, static_cast<std::uint32_t>(offset), encoding, /*is_open=*/true);
    require(lsp::offset_of(text, at, encoding) == offset, "a position is another one");
    return at;
  };
  return {place(edit.begin), place(edit.end)};
}

void compare(Session& session, const ScratchDirectory& folder, const Texts& texts,
             lsp::PositionEncoding encoding) {
  Session fresh(folder, encoding);
  for (const auto& [uri, text] : texts) fresh.open(uri, text);
  const auto& expected = fresh.published();
  const auto& seen = session.published();
  require(seen == expected, fmt::format("after an edit: {}\nanew: {}", lsp::text_of(Json(seen)),
                                        lsp::text_of(Json(expected))));
}

bool is_name(std::string_view name) {
  constexpr std::size_t kMaxName = 20;
  return name.size() < kMaxName && name.ends_with(".yaml") && name.size() > 5 &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789.") == std::string_view::npos;
}

}  // namespace

}  // namespace cnsched::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cnsched::fuzz;
  static const ScratchDirectory kFolder;
  constexpr std::size_t kMaxEdits = 8;
  const auto before = std::filesystem::current_path();
  const auto encoding = size % 2 == 0 ? lsp::PositionEncoding::utf8 : lsp::PositionEncoding::utf16;
  Session session(kFolder, encoding);
  Texts texts;
  std::size_t edits = 0;
  for (const Part& part : parts_of(text_of(data, size), "in.yaml")) {
    if (!is_name(part.name)) continue;
    const std::string uri = lsp::uri_of_path(kFolder.path(part.name));
    std::string text = valid(part.text);
    if (!texts.contains(uri)) {
      session.open(uri, text);
    } else if (++edits <= kMaxEdits) {
      compare(session, kFolder, texts, encoding);
      const Difference edit = difference(texts[uri], text);
      const lsp::PlaceRange range = range_of(edit, texts[uri], encoding);
      session.change(uri, range, edit.inserted);
      session.ask(uri, range.start);
    } else {
      break;
    }
    texts[uri] = std::move(text);
  }
  compare(session, kFolder, texts, encoding);
  std::filesystem::current_path(before);
  return 0;
}
