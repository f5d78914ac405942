#include "core/kserve/runtime.h"

#include "core/kserve/go_template.h"
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

namespace cnsched::kserve::runtime_merge_test {

std::string merged(const std::string& base, const std::string& patch) {
  const Parsed below(base);
  const Parsed above(patch);
  Arena arena;
  return compact(merge_container(below.root(), above.root(), arena));
}

std::string filled(const std::string& container) {
  const Parsed manifest(
      "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\n"
      "metadata: {name: llm, namespace: ml, labels: {team: nlp}, annotations: {rev: r1}}\n");
  const Parsed parsed(container);
  Arena arena;
  return compact(with_placeholders_filled(parsed.root(), manifest.object(), arena));
}

TEST_CASE("appends args to the runtime's, and replaces the command") {
  CHECK(merged("{name: a, args: [x], command: [c]}", "{args: [z], command: [d]}") ==
        R"({"args":["x","z"],"command":["d"],"name":"a"})");
  CHECK(merged("{name: a, args: [x]}", "{args: []}") == R"({"args":["x"],"name":"a"})");
  CHECK(merged("{name: a}", "{args: [z]}") == R"({"args":["z"],"name":"a"})");
}

TEST_CASE("keeps the name of the runtime's container") {
  CHECK(merged("{name: a}", "{name: b, image: c}") == R"({"image":"c","name":"a"})");
}

TEST_CASE("keeps the InferenceService's choice of value or valueFrom") {
  CHECK(merged("env: [{name: A, value: x}]", "env: [{name: A, valueFrom: {f: {}}}]") ==
        R"({"env":[{"name":"A","valueFrom":{"f":{}}}]})");
  CHECK(merged("env: [{name: A, valueFrom: {f: {}}}]", "env: [{name: A, value: x}]") ==
        R"({"env":[{"name":"A","value":"x"}]})");
  CHECK(merged("env: [{name: A, valueFrom: {f: {}}}]", "env: [{name: A, value: ''}]") ==
        R"({"env":[{"name":"A","valueFrom":{"f":{}}}]})");
}

TEST_CASE("fills placeholders in strings, not in keys") {
  CHECK(filled(R"({args: ["--n={{.Name}}", "{{ .Namespace }}/{{.Labels.team}}"]})") ==
        R"({"args":["--n=llm","ml/nlp"]})");
  CHECK(filled(R"({volumeMounts: [{subPath: "{{.Annotations.rev}}"}], "{{.Name}}": a})") ==
        R"({"volumeMounts":[{"subPath":"r1"}],"{{.Name}}":"a"})");
}

TEST_CASE("a placeholder trims blanks at a dash") {
  CHECK(filled(R"({args: ["a {{- .Name -}} b {{ .Spec -}} c {{ .Name }}"]})") ==
        R"({"args":["allmb {{ .Spec -}} c llm"]})");
}

TEST_CASE("replaces the placeholder of an unset label with an empty string") {
  CHECK(filled(R"({args: ["a{{.Labels.none}}b", "{{.Spec}}", "{{", "{{.Name"]})") ==
        R"({"args":["ab","{{.Spec}}","{{","{{.Name"]})");
}

}  // namespace cnsched::kserve::runtime_merge_test
