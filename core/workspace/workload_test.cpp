#include "core/workspace/workload.h"
#include "core/accelerators/catalogue.h"
#include "testdata/support.h"

namespace cnsched::workload_test {

bool takes_advice(const std::string& text) {
  const auto workspace = workspace_of({{"a.yaml", text}});
  REQUIRE(scope_of(*workspace).workloads().size() == 1);
  return scope_of(*workspace).workloads().front().takes_placement_advice();
}

TEST_CASE("gives placement advice on every pod of a serving kind") {
  CHECK(takes_advice(inference_service("")));
  CHECK(takes_advice(manifest("Server", "", "{podSpec: {}}")));
}

TEST_CASE("gives placement advice on other pods only with an accelerator") {
  CHECK(takes_advice(deployment("a", "containers: [{resources: {limits: {nvidia.com/gpu: 1}}}]")));
  CHECK(takes_advice(deployment("a", "nodeSelector: {nvidia.com/gpu.present: 'true'}")));
  CHECK(takes_advice(deployment("a", "tolerations: [{key: nvidia.com/gpu, operator: Exists}]")));
  CHECK(takes_advice(
      deployment("a",
                 "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                 "{nodeSelectorTerms: [{matchExpressions: [{key: nvidia.com/gpu.product, operator: "
                 "Exists}]}]}}}")));
  CHECK_FALSE(takes_advice(deployment("a", "nodeSelector: {zone: a}, nodeName: n")));
  CHECK_FALSE(
      takes_advice(deployment("a", "containers: [{resources: {limits: {nvidia.com/gpu: 0}}}]")));
  CHECK_FALSE(takes_advice(deployment("a", "tolerations: [{operator: Exists}]")));
  CHECK_FALSE(takes_advice(
      deployment("a", "containers: [{resources: {limits: {vpc.amazonaws.com/efa: 1}}}]")));
}

TEST_CASE("includes the runtime's requests and selectors in a workload") {
  const auto workspace = workspace_of(
      {{"a.yaml",
        inference_service("model: {modelFormat: {name: a}, runtime: vllm}") +
            manifest("ServingRuntime", "name: vllm, namespace: ml",
                     "{supportedModelFormats: [{name: a}], nodeSelector: {gpu: a100}, containers: "
                     "[{name: kserve-container, resources: {limits: {nvidia.com/gpu: 1}}}]}")}});
  const Workload& workload = scope_of(*workspace).workloads().front();
  CHECK(workload.component == "predictor");
  CHECK_FALSE(workload.own.requests_resource(accelerators::is_accelerator));
  CHECK(workload.pod.requests_resource(accelerators::is_accelerator));
  CHECK_FALSE(workload.own.is_pinned());
  CHECK(workload.has_placement_constraint());
}

TEST_CASE("treats a device claim as a placement constraint") {
  const auto workspace = workspace_of({{"a.yaml", deployment("a", "resourceClaims: [{name: gpu}]")},
                                       {"b.yaml", deployment("a", "")}});
  CHECK(scope_of(*workspace).workloads()[0].has_placement_constraint());
  CHECK_FALSE(scope_of(*workspace).workloads()[1].has_placement_constraint());
}

}  // namespace cnsched::workload_test

namespace cnsched::patch_test {

/// For each pod of the run, in order, whether it is a patch: "y" or "n".
std::string patches(const std::string& text) {
  const auto workspace = workspace_of({{"a.yaml", text}});
  return joined(
      scope_of(*workspace).workloads(),
      [](const Workload& pod) { return is_patch(pod, *pod.scope) ? "y" : "n"; }, "");
}

std::string server(std::string_view spec) { return manifest("Server", "name: a", spec); }

TEST_CASE("treats a predictor without a model as a patch if another object has its name") {
  const std::string whole = inference_service("model: {modelFormat: {name: onnx}}");
  const std::string patch = inference_service("nodeSelector: {pool: gpu}");
  CHECK(patches(patch) == "n");
  CHECK(patches(whole + patch) == "ny");
  CHECK(patches(whole + inference_service("model: {args: [a]}")) == "ny");
  CHECK(patches(whole + whole) == "nn");
  CHECK(patches(whole + inference_service("containers: [{name: a, image: b}]")) == "nn");
}

TEST_CASE("treats every pod of a patch as a patch") {
  CHECK(patches(inference_service("model: {modelFormat: {name: onnx}, $patch: replace}")) == "y");
  CHECK(patches(server("{serverConfig: mlserver, podSpec: {$patch: replace}}")) == "y");
}

TEST_CASE("a Server without its required serverConfig is a patch") {
  CHECK(patches(server("{replicas: 1}")) == "y");
  CHECK(patches(server("{serverConfig: mlserver}")) == "n");
}

}  // namespace cnsched::patch_test

namespace cnsched::injected_placement_test {

bool is_injected(const std::string& metadata, const std::string& spec = "{}") {
  const Parsed parsed("{apiVersion: v1, kind: Pod, metadata: " + metadata + ", spec: " + spec +
                      "}");
  const yaml::Node& pod = parsed.object().spec();
  return gets_placement_from_others({k8s::plain_pod("", pod, pod), nullptr, &parsed.object()});
}

TEST_CASE("profiles, queues and runtime classes place pods as well") {
  CHECK(is_injected("{name: a, annotations: {opendatahub.io/hardware-profile-name: gpu}}"));
  CHECK(is_injected("{name: a, labels: {kueue.x-k8s.io/queue-name: gpus}}"));
  CHECK(is_injected("{name: a}", "{runtimeClassName: nvidia}"));
  CHECK_FALSE(is_injected("{name: a, labels: {app: a}}", "{nodeSelector: {pool: gpu}}"));
}

}  // namespace cnsched::injected_placement_test
