#include "cli/lsp/requests.h"
#include "testdata/lsp_client.h"

namespace cnsched::cli::lsp::hints_test {

constexpr const char* kRuntime =
    "apiVersion: serving.kserve.io/v1alpha1\n"
    "kind: ServingRuntime\n"
    "metadata: {name: vllm}\n"
    "spec:\n"
    "  supportedModelFormats: [{name: huggingface}]\n"
    "  tolerations:\n"
    "  - {key: a, operator: Exists}\n"
    "  - {key: b, operator: Exists}\n"
    "  - {key: c, operator: Exists}\n"
    "  nodeSelector: {pool: x, zone: y}\n"
    "  affinity:\n"
    "    nodeAffinity:\n"
    "      requiredDuringSchedulingIgnoredDuringExecution:\n"
    "        nodeSelectorTerms: [{matchExpressions: [{key: gpu, operator: Exists}]}]\n"
    "  containers: [{name: kserve-container, image: a:1}]\n";

/// `fields`: of the predictor, at line 5.
std::string service(const std::string& fields) {
  return "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata: {name: llama}\n"
         "spec:\n"
         "  predictor:\n" +
         fields +
         "    model:\n      modelFormat: {name: huggingface}\n      runtime: vllm\n"
         "      storageUri: gs://a\n";
}

std::string node(const std::string& name, const std::string& spec = "{}") {
  return "---\napiVersion: v1\nkind: Node\nmetadata: {name: " + name + "}\nspec: " + spec +
         "\nstatus: {allocatable: {cpu: 64, memory: 256Gi, pods: 110}}\n";
}

/// "4:12 fits 1 of 2 nodes", of each hint in the lines.
std::vector<std::string> hints_in(Client& client, const std::string& name,
                                  Range range = {{0, 0}, {100, 0}}) {
  const Json hints =
      client.result_of("textDocument/inlayHint",
                       {{"textDocument", {{"uri", client.uri(name)}}}, {"range", json_of(range)}});
  std::vector<std::string> all;
  for (const Json& hint : hints) {
    CHECK(hint["paddingLeft"] == true);
    all.push_back(fmt::format("{}:{} {}", hint["position"]["line"].get<int>(),
                              hint["position"]["character"].get<int>(),
                              hint["label"].get<std::string>()));
  }
  return all;
}

using Hints = std::vector<std::string>;

TEST_CASE("hints say what the fields of a service replace in its runtime") {
  Client client;
  client.folder().write("runtime.yaml", kRuntime);
  client.folder().write("a.yaml", service("    tolerations:\n"
                                          "    - {key: c, operator: Exists}\n"
                                          "    nodeSelector: {pool: z}\n"));
  client.folder().write("b.yaml", service(""));
  client.initialize();
  CHECK(hints_in(client, "a.yaml") ==
        Hints{"5:16 2 tolerations of ServingRuntime vllm are replaced",
              "7:17 1 label of ServingRuntime vllm is replaced"});
  CHECK(hints_in(client, "a.yaml", {{6, 0}, {8, 0}}) ==
        Hints{"7:17 1 label of ServingRuntime vllm is replaced"});
  CHECK(hints_in(client, "b.yaml").empty());
  CHECK(hints_in(client, "runtime.yaml").empty());
}

TEST_CASE("hints say on how many nodes a pod fits") {
  Client client;
  client.folder().write("nodes.yaml",
                        node("one") + node("two", "{taints: [{key: d, effect: NoSchedule}]}"));
  client.folder().write("pod.yaml",
                        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: # here\n"
                        "  containers: [{name: a, image: a:1}]\n"
                        "---\n"
                        "apiVersion: v1\nkind: Pod\nmetadata: {name: b}\nspec:\n"
                        "  nodeSelector: {no: such}\n"
                        "  containers: [{name: a, image: a:1}]\n");
  client.folder().write("runtime.yaml", kRuntime);
  client.folder().write("a.yaml", service(""));
  client.initialize();
  CHECK(hints_in(client, "pod.yaml") == Hints{"3:12 fits 1 of 2 nodes", "9:5 fits no node of 2"});
  CHECK(hints_in(client, "pod.yaml", {{0, 0}, {4, 0}}) == Hints{"3:12 fits 1 of 2 nodes"});
  CHECK(hints_in(client, "a.yaml") == Hints{"4:12 fits no node of 2"});
  const Json hints = client.result_of("textDocument/inlayHint",
                                      {{"textDocument", {{"uri", client.uri("pod.yaml")}}},
                                       {"range", json_of(Range{{9, 0}, {9, 9}})}});
  REQUIRE(hints.size() == 1);
  CHECK(hints[0]["tooltip"].get<std::string>().starts_with("0/2 nodes are available: "));
}

TEST_CASE("hints of several clusters name each") {
  Client client;
  client.folder().write("clusters/dev/nodes.yaml", node("one"));
  client.folder().write("clusters/prod/nodes.yaml", node("one") + node("two"));
  client.folder().write("pod.yaml",
                        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n"
                        "  containers: [{name: a, image: a:1}]\n");
  client.initialize();
  CHECK(hints_in(client, "pod.yaml") ==
        Hints{"3:5 clusters/dev: fits 1 of 1 node; clusters/prod: fits 2 of 2 nodes"});
}

}  // namespace cnsched::cli::lsp::hints_test
