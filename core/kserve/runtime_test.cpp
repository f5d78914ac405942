#include "core/kserve/runtime.h"
#include "testdata/support.h"

namespace cnsched::kserve::runtime_test {

/// A ClusterServingRuntime for the format "f", or a ServingRuntime in namespace "ml".
std::string runtime(std::string_view name, std::string_view spec, bool of_namespace = false) {
  return manifest(of_namespace ? "ServingRuntime" : "ClusterServingRuntime",
                  fmt::format("name: {}{}", name, of_namespace ? ", namespace: ml" : ""),
                  fmt::format("{{containers: [{{name: kserve-container, image: a}}], {}}}", spec));
}

/// The runtime that KServe chooses for a model; in brackets, what is unknown about it.
std::string chosen(const std::string& runtimes,
                   const std::string& model = "modelFormat: {name: f}") {
  const auto workspace =
      workspace_of({{"a.yaml", runtimes + inference_service("model: {" + model + "}")}});
  for (const Workload& workload : scope_of(*workspace).workloads()) {
    if (workload.fragment) continue;
    std::string result =
        workload.bases.empty() ? "none" : std::string(workload.bases.front().object->name);
    for (const k8s::Unknown& unknown : workload.unknown) {
      if (unknown.adds_fields()) result += " [" + unknown.what + "]";
    }
    return workload.never_created ? workload.never_created->reason : result;
  }
  return "no pod";
}

constexpr std::string_view kAuto = "supportedModelFormats: [{name: f, autoSelect: true}]";

TEST_CASE("reads the runtime's name from model") {
  const auto named = [](const std::string& predictor) {
    const Parsed parsed(predictor);
    return std::string(runtime_name(parsed.root()));
  };
  CHECK(named("model: {runtime: vllm}") == "vllm");
  CHECK(named("model: {modelFormat: {name: onnx}}").empty());
  CHECK(named("triton: {runtime: vllm}").empty());
  CHECK(named("{}").empty());
}

TEST_CASE("names the first of many possible runtimes") {
  std::string runtimes;
  for (char name = 'a'; name < 'j'; ++name) runtimes += runtime(std::string(1, name), kAuto);
  CHECK(chosen(runtimes).starts_with("a [which of ClusterServingRuntime 'a', "));
  CHECK(chosen(runtimes).ends_with(
      "ClusterServingRuntime 'h' and 1 more KServe chooses (the newest)]"));
}

TEST_CASE("chooses only runtimes that support the model") {
  const std::string unknown = "none [the runtime that KServe chooses for the model format 'f']";
  CHECK(chosen(runtime("a", kAuto)) == "a");
  CHECK(chosen(runtime("a", "supportedModelFormats: [{name: f}]")) == unknown);
  CHECK(chosen(runtime("a", "supportedModelFormats: [{name: F, autoSelect: true}]")) == unknown);
  CHECK(chosen(runtime("a", fmt::format("disabled: true, {}", kAuto))) == unknown);
  CHECK(chosen(runtime("a", fmt::format("multiModel: true, {}", kAuto))) == unknown);
  CHECK(chosen(runtime("a", fmt::format("workerSpec: {{}}, {}", kAuto))) == unknown);
  CHECK(chosen(runtime("a", fmt::format("protocolVersions: [v2], {}", kAuto))) == unknown);
  CHECK(chosen(runtime("a", fmt::format("protocolVersions: [v2], {}", kAuto)),
               "modelFormat: {name: f}, protocolVersion: v2") == "a");
  CHECK(chosen(runtime("a", kAuto), "modelFormat: {name: f, version: '1'}") == unknown);
}

TEST_CASE("orders runtimes by namespace, priority, protocol and name") {
  const auto with_priority = [](int priority) {
    return fmt::format("supportedModelFormats: [{{name: f, autoSelect: true, priority: {}}}]",
                       priority);
  };
  CHECK(chosen(runtime("a", with_priority(9)) + runtime("b", kAuto, true)) == "b");
  CHECK(chosen(runtime("a", with_priority(1)) + runtime("b", with_priority(2))) == "b");
  CHECK(chosen(runtime("a", kAuto) + runtime("b", with_priority(0))) == "b");
  CHECK(chosen(runtime("a", kAuto) +
               runtime("b", fmt::format("protocolVersions: [v1], {}", kAuto))) == "b");
  CHECK(chosen(runtime("b", kAuto) + runtime("a", kAuto)) ==
        "a [which of ClusterServingRuntime 'a' and ClusterServingRuntime 'b' KServe chooses (the "
        "newest)]");
}

TEST_CASE("accepts a named runtime without autoSelect, if it supports the model") {
  const std::string model = "modelFormat: {name: f}, runtime: a";
  CHECK(chosen(runtime("a", "supportedModelFormats: [{name: f}]"), model) == "a");
  CHECK(chosen(runtime("a", "supportedModelFormats: [{name: g}]"), model) ==
        "ClusterServingRuntime 'a' does not support the model format 'f'");
  CHECK(chosen(runtime("a", fmt::format("disabled: true, {}", kAuto)), model) ==
        "ClusterServingRuntime 'a' is disabled");
  CHECK(chosen("", model) == "none [ServingRuntime 'a']");
}

}  // namespace cnsched::kserve::runtime_test
