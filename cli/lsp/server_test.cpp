#include "cli/lsp/server.h"
#include "testdata/lsp_client.h"

namespace cnsched::cli::lsp::server_test {

/// The value of the toleration is wrong, at 4:50.
constexpr const char* kPod =
    "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n"
    "  tolerations: [{key: a, operator: Exists, value: x}]\n"
    "  containers: [{name: a, image: a:1}]\n";

/// The diagnostics that were published for a file; null if there were none.
Json published(const std::vector<Json>& messages, const std::string& uri) {
  for (const Json& message : messages) {
    if (member(message, "method") == "textDocument/publishDiagnostics" &&
        member(message, {"params", "uri"}) == uri) {
      return message["params"];
    }
  }
  return nullptr;
}

int code_of(const Json& answer) { return answer["error"]["code"].get<int>(); }

const Json kAbilities = {
    {"textDocument", {{"publishDiagnostics", {{"relatedInformation", true}}}}}};

TEST_CASE("the server negotiates the encoding of positions") {
  Client client;
  const Json result =
      client.initialize({{"general", {{"positionEncodings", {"utf-32", "utf-8"}}}}});
  CHECK(result["capabilities"]["positionEncoding"] == "utf-8");
  CHECK(result["capabilities"]["textDocumentSync"]["change"] == 2);
  CHECK(Client().initialize()["capabilities"]["positionEncoding"] == "utf-16");
}

TEST_CASE("requests outside of the session fail with the codes of the protocol") {
  Client client;
  CHECK(code_of(client.ask("textDocument/hover", {})) == -32002);
  client.initialize();
  CHECK(code_of(client.ask("initialize", {})) == -32600);
  CHECK(code_of(client.ask("textDocument/unknown", {})) == -32601);
  CHECK(client.notify("$/unknown", {}).empty());
  CHECK(code_of(client.ask("textDocument/diagnostic", 3)) == -32602);
  CHECK(client.result_of("shutdown", nullptr).is_null());
  CHECK(code_of(client.ask("shutdown", nullptr)) == -32600);
  CHECK_FALSE(client.server().has_ended());
  client.notify("exit", nullptr);
  CHECK(client.server().has_ended());
  CHECK(client.server().exit() == Exit::clean);
}

TEST_CASE("without a shutdown, the session ends with code 1") {
  Client with_exit;
  with_exit.initialize();
  with_exit.notify("exit", nullptr);
  CHECK(with_exit.server().exit() == Exit::findings);
  Client gone;
  gone.server().handle({});
  CHECK(gone.server().has_ended());
  CHECK(gone.server().exit() == Exit::findings);
}

TEST_CASE("malformed messages are answered with errors") {
  Client client;
  client.initialize();
  for (const char* text : {"[]", "3", "null", "{}", R"({"id": 1})", R"({"id": {}, "method": "a"})",
                           R"({"id": null, "method": "a"})", R"({"method": 3})"}) {
    CAPTURE(text);
    const auto messages = client.send(Json::parse(text));
    REQUIRE(messages.size() == 1);
    CHECK(code_of(messages[0]) == -32600);
  }
  client.server().handle({.kind = Incoming::Kind::invalid, .problem = "no JSON"});
  CHECK(code_of(client.send(request(9, "x", {}))[0]) == -32700);
  // No request asks for these.
  CHECK(client.send({{"id", 77}, {"result", 3}}).empty());
  CHECK(client.send({{"id", "x"}, {"error", 3}}).empty());
}

TEST_CASE("a cancelled request is answered with an error") {
  Client client;
  client.initialize();
  client.server().handle({.kind = Incoming::Kind::message,
                          .json = request(5, "textDocument/diagnostic", {}),
                          .is_cancelled = std::make_shared<std::atomic<bool>>(true)});
  CHECK(code_of(client.send(request(9, "x", {}))[0]) == -32800);
}

TEST_CASE("the findings of the workspace are published at the start") {
  Client client;
  client.folder().write("a.yaml", kPod);
  client.folder().write("b.yaml", "kind: Other\n");
  client.initialize(kAbilities);
  const Json params = published(client.start(), client.uri("a.yaml"));
  REQUIRE(params.is_object());
  CHECK_FALSE(params.contains("version"));
  REQUIRE(params["diagnostics"].size() == 1);
  const Json& first = params["diagnostics"][0];
  CHECK(first["source"] == "cnsched");
  CHECK(first["severity"] == 1);
  CHECK(first["code"] == "invalid-toleration");
  CHECK(first["range"]["start"] == Json{{"line", 4}, {"character", 50}});
  CHECK(published(client.start(), client.uri("b.yaml")).is_null());
}

TEST_CASE("the text that the editor has replaces the file") {
  Client client;
  client.folder().write("a.yaml", kPod);
  client.initialize(kAbilities);
  const Json opened = published(client.open("a.yaml", kPod), client.uri("a.yaml"));
  CHECK(opened["diagnostics"].size() == 1);
  CHECK(opened["version"] == 1);
  const auto changed = client.change("a.yaml", {4, 41}, {4, 51}, "");
  const Json params = published(changed, client.uri("a.yaml"));
  REQUIRE(params.is_object());
  CHECK(params["version"] == 2);
  CHECK(params["diagnostics"].empty());
  // Closed without being saved: the file counts again.
  const auto closed =
      client.notify("textDocument/didClose", {{"textDocument", {{"uri", client.uri("a.yaml")}}}});
  CHECK(published(closed, client.uri("a.yaml"))["diagnostics"].size() == 1);
}

TEST_CASE("a half typed document is reported, and the others keep their findings") {
  Client client;
  client.folder().write("a.yaml", kPod);
  client.folder().write("b.yaml", std::string(kPod).replace(42, 1, "b"));
  client.initialize(kAbilities);
  client.open("a.yaml", kPod);
  const auto changed = client.change("a.yaml", {4, 0}, {4, 0}, "  x: [\n");
  const Json params = published(changed, client.uri("a.yaml"));
  REQUIRE(params["diagnostics"].size() >= 1);
  CHECK(published(changed, client.uri("b.yaml")).is_null());
}

TEST_CASE("positions count UTF-16 units after text beyond the BMP, with CRLF") {
  Client client;
  const std::string line =
      "spec: {containers: [{name: a, image: a:1, env: [{name: A, value: \"\xF0\x9F\x98\x80\"}]}], "
      "tolerations: [{key: a, operator: Exists, value: x}]}";
  const std::string text = "apiVersion: v1\r\nkind: Pod\r\nmetadata: {name: a}\r\n" + line + "\r\n";
  client.initialize(kAbilities);
  const Json params = published(client.open("new.yaml", text), client.uri("new.yaml"));
  REQUIRE(params.is_object());
  REQUIRE(params["diagnostics"].size() == 1);
  CHECK(params["diagnostics"][0]["range"]["start"] ==
        Json{{"line", 3}, {"character", line.find("x}]") - 2}});
}

TEST_CASE("clients that pull get no pushed diagnostics, and unchanged ones only once") {
  Client client;
  client.folder().write("a.yaml", kPod);
  client.initialize({{"textDocument", {{"diagnostic", Json::object()}}},
                     {"workspace", {{"diagnostics", {{"refreshSupport", true}}}}}});
  CHECK(published(client.start(), client.uri("a.yaml")).is_null());
  const Json document = {{"uri", client.uri("a.yaml")}};
  const Json full = client.result_of("textDocument/diagnostic", {{"textDocument", document}});
  CHECK(full["kind"] == "full");
  CHECK(full["items"].size() >= 1);
  const Json again =
      client.result_of("textDocument/diagnostic",
                       {{"textDocument", document}, {"previousResultId", full["resultId"]}});
  CHECK(again == Json{{"kind", "unchanged"}, {"resultId", full["resultId"]}});
  const Json all = client.result_of("workspace/diagnostic", {{"previousResultIds", Json::array()}});
  REQUIRE(all["items"].size() == 1);
  CHECK(all["items"][0]["items"] == full["items"]);
  const Json unchanged = client.result_of(
      "workspace/diagnostic",
      {{"previousResultIds", {{{"uri", client.uri("a.yaml")}, {"value", full["resultId"]}}}}});
  CHECK(unchanged["items"][0]["kind"] == "unchanged");
}

TEST_CASE("changes on the disk and of the configuration are noticed") {
  Client client;
  client.folder().write("a.yaml", kPod);
  client.initialize(kAbilities);
  client.folder().write(".cnsched.yaml", "rules: {invalid-toleration: off}\n");
  const auto changed =
      client.notify("workspace/didChangeWatchedFiles", {{"changes", Json::array()}});
  const Json without = published(changed, client.uri("a.yaml"));
  REQUIRE(without.is_object());
  for (const Json& each : without["diagnostics"]) CHECK(each["code"] != "invalid-toleration");
  client.folder().write(".cnsched.yaml", "rules: {no-such-rule: off}\n");
  bool shows = false;
  for (const Json& message : client.notify("textDocument/didSave", {})) {
    shows = shows || message["method"] == "window/showMessage";
  }
  CHECK(shows);
  std::filesystem::remove(client.folder().path(".cnsched.yaml"));
  const auto set =
      client.notify("workspace/didChangeConfiguration",
                    {{"settings", {{"cnsched", {{"select", {"invalid-toleration"}}}}}}});
  const Json selected = published(set, client.uri("a.yaml"));
  REQUIRE(selected["diagnostics"].size() == 1);
}

TEST_CASE("a configuration cannot make the server render") {
  Client client;
  client.folder().write("a.yaml", kPod);
  client.folder().write("overlay/kustomization.yaml", "resources: [../a.yaml]\n");
  const std::string mark = client.folder().path("started");
  const std::string program = client.folder().write_program("kustomize", "touch " + mark);
  client.folder().write(".cnsched.yaml", "render: {kinds: all, kustomize: " + program + "}\n");
  client.initialize(kAbilities);
  CHECK_FALSE(std::filesystem::exists(mark));
}

TEST_CASE("fixes and suppressions are edits for the client") {
  Client client;
  const std::string written =
      "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n"
      "  containers: [{name: a, image: a:1, env: [{name: A, value: 3}]}]\n";
  client.folder().write("a.yaml", written);
  client.initialize(kAbilities);
  const Json actions = client.result_of("textDocument/codeAction",
                                        {{"textDocument", {{"uri", client.uri("a.yaml")}}},
                                         {"range", json_of(PlaceRange{{4, 0}, {4, 70}})},
                                         {"context", {{"diagnostics", Json::array()}}}});
  REQUIRE(actions.size() == 2);
  const auto applied = [&](const Json& action) {
    std::string text = written;
    const Json& edits = action["edit"]["changes"][client.uri("a.yaml")];
    REQUIRE(edits.size() == 1);
    REQUIRE(apply_change({{"range", edits[0]["range"]}, {"text", edits[0]["newText"]}},
                         PositionEncoding::utf16, text));
    return text;
  };
  CHECK(actions[0]["isPreferred"] == true);
  CHECK(has(applied(actions[0]), "value: \"3\"}"));
  CHECK(actions[1]["title"] == "suppress wrong-type on this line");
  const Json params = published(client.open("a.yaml", applied(actions[1])), client.uri("a.yaml"));
  CHECK(params["diagnostics"].empty());
  CHECK(read_all(client.folder().path("a.yaml")) == written);
}

TEST_CASE("settings are requested, and again when the client reports a change") {
  Client client;
  client.folder().write("a.yaml", kPod);
  client.initialize(
      {{"workspace",
        {{"configuration", true}, {"didChangeConfiguration", {{"dynamicRegistration", true}}}}}});
  const auto asked_in = [](const std::vector<Json>& messages) {
    for (const Json& message : messages) {
      if (member(message, "method") == "workspace/configuration") return message["id"];
    }
    return Json();
  };
  CHECK(std::ranges::any_of(client.start(), [](const Json& message) {
    return message["method"] == "client/registerCapability";
  }));
  const Json id = asked_in(client.start());
  REQUIRE(id.is_number());
  const auto answer = [&](const Json& settings) {
    return client.send({{"id", id}, {"result", Json::array({settings})}});
  };
  const Json params = published(answer({{"ignore", {"invalid-toleration"}}}), client.uri("a.yaml"));
  REQUIRE(params.is_object());
  for (const Json& each : params["diagnostics"]) CHECK(each["code"] != "invalid-toleration");
  const auto again = client.notify("workspace/didChangeConfiguration", {{"settings", nullptr}});
  CHECK(asked_in(again).is_number());
}

TEST_CASE("a client without settings keeps its initialization options") {
  Client client;
  client.folder().write("a.yaml", kPod);
  client.result_of("initialize", {{"capabilities", {{"workspace", {{"configuration", true}}}}},
                                  {"rootUri", client.uri("")},
                                  {"initializationOptions", {{"select", {"invalid-toleration"}}}}});
  client.notify("initialized", Json::object());
  CHECK(client.send({{"id", 1U}, {"result", {nullptr}}}).empty());
  const Json report = client.result_of("textDocument/diagnostic",
                                       {{"textDocument", {{"uri", client.uri("a.yaml")}}}});
  CHECK(report["items"].size() == 1);
}

TEST_CASE("checking many files shows progress") {
  Client client;
  constexpr int kFiles = 250;
  for (int i = 0; i < kFiles; ++i) client.folder().write(fmt::format("{}.yaml", i), kPod);
  client.initialize({{"window", {{"workDoneProgress", true}}}});
  std::vector<std::string> steps;
  for (const Json& message : client.start()) {
    const Json& value = member(message, {"params", "value"});
    if (!value.is_object()) continue;
    steps.push_back(string_of(member(value, "kind")) + ' ' + string_of(member(value, "message")));
  }
  CHECK(steps ==
        std::vector<std::string>{"begin reading 250 files", "report checking 250 objects", "end "});
  // The client does not want it.
  client.send({{"id", 1U}, {"error", {{"code", -32601}, {"message", "unknown"}}}});
  for (const Json& message : client.notify("textDocument/didSave", {})) {
    CHECK(message["method"] != "$/progress");
  }
}

}  // namespace cnsched::cli::lsp::server_test
