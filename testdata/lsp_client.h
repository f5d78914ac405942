#pragma once

#include "cli/lsp/server.h"
#include "testdata/support.h"

namespace cnsched::cli::lsp {

/// A client of a server that runs in a directory of its own.
class Client {
 public:
  explicit Client(Settings settings = {}) : server_(std::move(settings), out_) {}

  const test::TemporaryDirectory& folder() const { return folder_; }
  std::string uri(const std::string& name) const { return uri_of_path(folder_.path(name)); }
  Server& server() { return server_; }

  /// Sends a message and returns what the server sends until it waits.
  std::vector<Json> send(const Json& message) {
    Incoming incoming{.kind = Incoming::Kind::message, .json = message};
    server_.handle(incoming);
    server_.settle();
    return received();
  }
  std::vector<Json> notify(const std::string& method, const Json& params) {
    return send(notification(method, params));
  }
  /// The answer, with its result or error.
  Json ask(const std::string& method, const Json& params) {
    const std::uint64_t id = ++last_id_;
    for (Json& message : send(request(id, method, params))) {
      if (member(message, "id") == id && !message.contains("method")) return message;
      others_.push_back(std::move(message));
    }
    FAIL("no answer to " << method);
    return {};
  }
  Json result_of(const std::string& method, const Json& params) {
    Json answer = ask(method, params);
    CAPTURE(text_of(answer));
    REQUIRE(answer.contains("result"));
    return answer["result"];
  }

  Json initialize(const Json& abilities = Json::object()) {
    Json result = result_of(
        "initialize",
        {{"capabilities", abilities}, {"workspaceFolders", {{{"uri", uri("")}, {"name", "w"}}}}});
    start_ = notify("initialized", Json::object());
    return result;
  }
  /// What the server sent after `initialized`.
  const std::vector<Json>& start() const { return start_; }

  std::vector<Json> open(const std::string& name, const std::string& text) {
    return notify("textDocument/didOpen",
                  {{"textDocument",
                    {{"uri", uri(name)}, {"languageId", "yaml"}, {"version", 1}, {"text", text}}}});
  }
  /// The parameters of a request about a place of a file.
  Json at(const std::string& name, Place place) const {
    const Json position = {{"line", place.line}, {"character", place.character}};
    return {{"textDocument", {{"uri", uri(name)}}}, {"position", position}};
  }
  std::vector<Json> change(const std::string& name, Place start, Place end, const std::string& text,
                           int version = 2) {
    return notify(
        "textDocument/didChange",
        {{"textDocument", {{"uri", uri(name)}, {"version", version}}},
         {"contentChanges", {{{"range", json_of(PlaceRange{start, end})}, {"text", text}}}}});
  }

 private:
  std::vector<Json> received() {
    std::istringstream in(out_.str());
    out_.str("");
    FrameReader reader(in);
    std::vector<Json> messages;
    for (Frame frame = reader.next(); frame.kind == Frame::Kind::body; frame = reader.next()) {
      messages.push_back(*parse_json(frame.text));
    }
    return messages;
  }

  test::TemporaryDirectory folder_;
  test::WorkingDirectory before_{folder_.root()};
  std::ostringstream out_;
  Server server_;
  std::vector<Json> start_;
  std::vector<Json> others_;
  std::uint64_t last_id_ = 0;
};

/// A text and a position in it that is marked by '|'.
struct Marked {
  std::string text;
  Json position;
};
inline Marked marked(std::string text) {
  const std::size_t at = text.find('|');
  REQUIRE(at != std::string::npos);
  text.erase(at, 1);
  const std::size_t line = static_cast<std::size_t>(
      std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  const std::size_t start = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
  return {std::move(text), {{"line", line}, {"character", at - start}}};
}

}  // namespace cnsched::cli::lsp
