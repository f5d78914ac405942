#include "cli/lsp/hover.h"
#include "testdata/lsp_client.h"

namespace cnsched::cli::lsp::hover_test {

constexpr const char* kRuntime = R"(apiVersion: serving.kserve.io/v1alpha1
kind: ServingRuntime
metadata: {name: vllm}
spec:
  supportedModelFormats: [{name: huggingface}]
  nodeSelector: {disk: ssd}
  tolerations:
  - {key: dedicated, operator: Exists}
  containers:
  - name: kserve-container
    image: vllm:1
)";

constexpr const char* kNodes = R"(apiVersion: v1
kind: Node
metadata: {name: a, labels: {nvidia.com/gpu.product: NVIDIA-L4}}
spec:
  taints: [{key: nvidia.com/gpu, value: present, effect: NoSchedule}]
---
apiVersion: v1
kind: Node
metadata: {name: b}
spec: {}
)";

std::string service(const std::string& predictor) {
  return "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata: {name: llama}\n"
         "spec:\n  predictor:\n    model: {modelFormat: {name: huggingface}, runtime: vllm}\n" +
         predictor;
}

/// What the client shows at the mark of the text; empty if nothing.
std::string hover_over(const std::string& text, bool is_markdown = true) {
  Client client;
  client.folder().write("runtime.yaml", kRuntime);
  client.folder().write("nodes.yaml", kNodes);
  const Json formats = is_markdown ? Json{"markdown"} : Json{"plaintext"};
  client.initialize({{"textDocument", {{"hover", {{"contentFormat", formats}}}}}});
  const Marked document = marked(text);
  client.open("m.yaml", document.text);
  const Json result = client.result_of(
      "textDocument/hover",
      {{"textDocument", {{"uri", client.uri("m.yaml")}}}, {"position", document.position}});
  return string_of(member(result, {"contents", "value"}));
}

TEST_CASE("hover shows the value of the effective pod and where it is written") {
  CHECK(hover_over(service("    nodeSelector: {disk: h|dd}\n")) ==
        "In the effective pod of InferenceService 'llama', predictor (m.yaml:1):\n\n"
        "```yaml\ndisk: hdd  # m.yaml:7\n```\n\n"
        "It replaces what ServingRuntime `vllm` (runtime.yaml:1) has there.\n\n"
        "This label matches none of 2 known nodes and pools.\n");
}

TEST_CASE("hover shows what a base adds") {
  const std::string text = hover_over(service("    node|Selector: {zone: a}\n"));
  CAPTURE(text);
  CHECK(has(text, "disk: ssd  # runtime.yaml:6"));
  CHECK(has(text, "zone: a  # m.yaml:7"));
}

TEST_CASE("hover says that a value of a runtime is replaced") {
  const std::string text =
      hover_over(service("    tolerations: [{key: spot, operator: Exists}]\n") + "---\n" +
                 std::string(kRuntime).replace(std::string(kRuntime).find("dedicated"), 0, "|"));
  CAPTURE(text);
  CHECK(has(text, "predictor (m.yaml:1), without what is written here:"));
  CHECK(has(text, "- key: spot  # m.yaml:7"));
}

TEST_CASE("hover says what of a runtime is replaced") {
  const std::string text =
      hover_over(service("    tolerat|ions: [{key: spot, operator: Exists}]\n"));
  CAPTURE(text);
  CHECK(has(text, "It replaces what ServingRuntime `vllm` (runtime.yaml:1) has there."));
  CHECK_FALSE(has(hover_over(service("    node|Selector: {zone: a}\n")), "replaces"));
}

TEST_CASE("hover names the taints that a toleration matches") {
  CHECK(has(
      hover_over(service("    tolerations:\n    - key: nvidia.com/gpu|\n      operator: Exists\n")),
      "This toleration matches the taint `nvidia.com/gpu=present:NoSchedule` of Node "
      "'a' (1 of 2 known nodes and pools)."));
  CHECK(has(hover_over(service("    tolerations:\n    - key: other|\n      operator: Exists\n")),
            "This toleration matches no taint of 2 known nodes and pools."));
}

TEST_CASE("hover names the nodes that an affinity matches") {
  const std::string text = hover_over(service(
      "    affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
      "{nodeSelectorTerms: [{matchExpressions: [{key: nvidia.com/gpu.product, operator: In, "
      "values: [NVIDIA-L|4]}]}]}}}\n"));
  CAPTURE(text);
  CHECK(has(text, "This requirement matches Node 'a' (1 of 2 known nodes and pools)."));
  CHECK(has(text, "NVIDIA L4 with 24 GB"));
}

TEST_CASE("hover shows the record of an accelerator") {
  const std::string text = hover_over(
      "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - name: a\n"
      "    image: a\n    resources: {limits: {nvidia.com/|gpu: 1}}\n");
  CAPTURE(text);
  CHECK(has(text,
            "`nvidia.com/gpu`: accelerators of NVIDIA, which the NVIDIA device plugin "
            "advertises."));
}

TEST_CASE("hover as plain text has no markup") {
  CHECK(hover_over(service("    nodeSelector: {disk: h|dd}\n"), false) ==
        "In the effective pod of InferenceService 'llama', predictor (m.yaml:1):\n\n"
        "  disk: hdd  # m.yaml:7\n\n"
        "It replaces what ServingRuntime 'vllm' (runtime.yaml:1) has there.\n\n"
        "This label matches none of 2 known nodes and pools.\n");
}

TEST_CASE("hover over what decides nothing is empty") {
  CHECK(hover_over(service("    mode|l: {}\n")).empty());
  CHECK(hover_over("# |\n").empty());
  CHECK(hover_over("a: [|\n").empty());
}

TEST_CASE("hover uses the last good tree while a line is half typed") {
  Client client;
  client.initialize();
  client.open("m.yaml", service("    nodeSelector: {disk: hdd}\n"));
  client.change("m.yaml", {7, 0}, {7, 0}, "    tolerations: [{key\n");
  const auto value_at = [&](std::size_t line) {
    return string_of(member(client.result_of("textDocument/hover",
                                             {{"textDocument", {{"uri", client.uri("m.yaml")}}},
                                              {"position", {{"line", line}, {"character", 20U}}}}),
                            {"contents", "value"}));
  };
  CHECK(has(value_at(6), "disk: hdd"));
  CHECK(value_at(7).empty());
  // The findings are still those of the text that the client has.
  const Json report = client.result_of("textDocument/diagnostic",
                                       {{"textDocument", {{"uri", client.uri("m.yaml")}}}});
  CHECK(report["items"][0]["code"] == "yaml-syntax");
}

TEST_CASE("hover in a file of facts that is half typed has no last good tree") {
  Client client;
  client.initialize();
  client.open("m.yaml", kNodes);
  client.change("m.yaml", {3, 0}, {3, 0}, "[\n");
  for (std::size_t line = 0; line < 8; ++line) {
    client.result_of("textDocument/hover", {{"textDocument", {{"uri", client.uri("m.yaml")}}},
                                            {"position", {{"line", line}, {"character", 3U}}}});
  }
  const Json report = client.result_of("textDocument/diagnostic",
                                       {{"textDocument", {{"uri", client.uri("m.yaml")}}}});
  CHECK(report["items"][0]["code"] == "yaml-syntax");
}

}  // namespace cnsched::cli::lsp::hover_test
