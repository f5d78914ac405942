#include "core/workloads/workload.h"
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
