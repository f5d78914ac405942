#include "cli/lsp/requests.h"
#include "testdata/lsp_client.h"

namespace cnsched::cli::lsp::commands_test {

constexpr const char* kService =
    "apiVersion: serving.kserve.io/v1beta1\n"
    "kind: InferenceService\n"
    "metadata: {name: llama, annotations: {serving.kserve.io/deploymentMode: RawDeployment}}\n"
    "spec:\n"
    "  predictor:\n"
    "    nodeSelector: {pool: gpu}\n"
    "    containers: [{name: kserve-container, image: a:1}]\n"
    "  transformer:\n"
    "    containers: [{name: kserve-container, image: b:1}]\n";

constexpr const char* kNode =
    "apiVersion: v1\nkind: Node\nmetadata: {name: one, labels: {pool: gpu}}\n"
    "status: {allocatable: {cpu: 64, memory: 256Gi, pods: 110}}\n";

Json call(const Client& client, const std::string& command, const std::string& file, Place place) {
  Json params = {{"command", command}};
  params["arguments"] = {{{"uri", client.uri(file)},
                          {"position", {{"line", place.line}, {"character", place.character}}}}};
  return params;
}

/// The text that the command returns.
std::string text_at(Client& client, const std::string& command, Place place) {
  return client.result_of("workspace/executeCommand", call(client, command, "a.yaml", place))
      .get<std::string>();
}

TEST_CASE("the effective pod of the component at the cursor is returned as YAML") {
  Client client;
  client.folder().write("a.yaml", kService);
  const Json abilities = client.initialize();
  CHECK(abilities["capabilities"]["executeCommandProvider"]["commands"] ==
        Json{"cnsched.effectivePod", "cnsched.simulate"});
  const std::string predictor = text_at(client, "cnsched.effectivePod", {5, 6});
  CAPTURE(predictor);
  CHECK(has(predictor, "# InferenceService 'llama', predictor (a.yaml:1)"));
  CHECK(has(predictor, "pool: gpu"));
  CHECK(has(predictor, "# a.yaml:6"));
  CHECK_FALSE(has(predictor, "transformer"));
  const std::string all = text_at(client, "cnsched.effectivePod", {2, 0});
  CHECK(has(all, "predictor"));
  CHECK(has(all, "transformer"));
  CHECK(has(text_at(client, "cnsched.effectivePod", {9, 0}), "transformer"));
}

TEST_CASE("the simulation of the component at the cursor is returned as text") {
  Client client;
  client.folder().write("a.yaml", kService);
  client.folder().write("nodes.yaml", kNode);
  client.initialize();
  const std::string predictor = text_at(client, "cnsched.simulate", {5, 6});
  CAPTURE(predictor);
  CHECK(predictor.starts_with("InferenceService 'llama', predictor (a.yaml:1)\n"));
  CHECK(has(predictor, "Effective pod"));
  CHECK(has(predictor, "ok          one"));
  CHECK_FALSE(has(predictor, "transformer"));
  CHECK_FALSE(has(predictor, "\x1b"));
  const Ran ran = run_program({"simulate", "--explain", "llama/predictor", "."});
  CHECK(ran.exit == 2);  // no such name: with its kind
  CHECK(run_program({"simulate", "--explain", "InferenceService/llama/predictor", "."}).out ==
        predictor);
}

TEST_CASE("without nodes, the text of the simulation says so") {
  Client client;
  client.folder().write("a.yaml", kService);
  client.initialize();
  CHECK(text_at(client, "cnsched.simulate", {0, 0}).starts_with("error: no nodes are given: "));
}

TEST_CASE("commands say what is wrong with their arguments") {
  Client client;
  client.folder().write("a.yaml", kService);
  client.folder().write("b.yaml", "a: b\n");
  client.folder().write("broken.yaml", std::string(kService) + "  x: [\n");
  client.folder().write("nodes.yaml", kNode);
  client.folder().write("c.yaml",
                        "apiVersion: mlops.seldon.io/v1alpha1\nkind: ServerConfig\n"
                        "metadata: {name: c}\n"
                        "spec: {podSpec: {containers: [{name: a, image: a:1}]}}\n");
  client.initialize();
  const auto message_of = [&](const Json& params) {
    const Json answer = client.ask("workspace/executeCommand", params);
    CHECK(answer["error"]["code"] == -32602);
    return answer["error"]["message"].get<std::string>();
  };
  CHECK(message_of({{"command", "cnsched.what"}}) ==
        "unknown command 'cnsched.what': use cnsched.effectivePod or cnsched.simulate");
  CHECK(message_of(3).starts_with("unknown command ''"));
  for (const Json& arguments :
       {Json(), Json(3), Json::array(), Json::array({3}), Json::array({{{"uri", "http://x"}}})}) {
    CHECK(has(message_of({{"command", "cnsched.simulate"}, {"arguments", arguments}}),
              "'arguments' must be"));
  }
  const auto message_at = [&](const std::string& file) {
    return message_of(call(client, "cnsched.effectivePod", file, {0, 0}));
  };
  CHECK(has(message_at("missing.yaml"), "is not a checked file of the workspace"));
  CHECK(message_at("b.yaml").starts_with("no checked object is at the position"));
  CHECK(message_at("broken.yaml").starts_with("the document is not valid YAML"));
  CHECK(message_at("nodes.yaml") == "Node 'one' creates no pods");
  CHECK(message_at("c.yaml") ==
        "ServerConfig 'c' creates no pods: it is a part of the pods of other objects");
}

}  // namespace cnsched::cli::lsp::commands_test
