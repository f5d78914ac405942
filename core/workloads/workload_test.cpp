#include "core/workloads/workload.h"
#include "core/accelerators/catalogue.h"
#include "testdata/support.h"

namespace cnsched::workload_test {

std::string deployment(const std::string& pod) {
  return "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\n"
         "spec: {template: {spec: {" +
         pod + "}}}\n";
}

bool takes_advice(const std::string& text) {
  const auto workspace = workspace_of({{"a.yaml", text}});
  REQUIRE(scope_of(*workspace).workloads().size() == 1);
  return scope_of(*workspace).workloads().front().takes_placement_advice();
}

TEST_CASE("gives placement advice on every pod of a serving kind") {
  CHECK(
      takes_advice("apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\n"
                   "spec: {predictor: {}}\n"));
  CHECK(takes_advice("apiVersion: mlops.seldon.io/v1alpha1\nkind: Server\nspec: {podSpec: {}}\n"));
}

TEST_CASE("gives placement advice on other pods only with an accelerator") {
  CHECK(takes_advice(deployment("containers: [{resources: {limits: {nvidia.com/gpu: 1}}}]")));
  CHECK(takes_advice(deployment("nodeSelector: {nvidia.com/gpu.present: 'true'}")));
  CHECK(takes_advice(deployment("tolerations: [{key: nvidia.com/gpu, operator: Exists}]")));
  CHECK(takes_advice(
      deployment("affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                 "{nodeSelectorTerms: [{matchExpressions: [{key: nvidia.com/gpu.product, operator: "
                 "Exists}]}]}}}")));
  CHECK_FALSE(takes_advice(deployment("nodeSelector: {zone: a}, nodeName: n")));
  CHECK_FALSE(takes_advice(deployment("containers: [{resources: {limits: {nvidia.com/gpu: 0}}}]")));
  CHECK_FALSE(takes_advice(deployment("tolerations: [{operator: Exists}]")));
  CHECK_FALSE(
      takes_advice(deployment("containers: [{resources: {limits: {vpc.amazonaws.com/efa: 1}}}]")));
}

TEST_CASE("includes the runtime's requests and selectors in a workload") {
  const auto workspace = workspace_of(
      {{"a.yaml",
        "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\n"
        "metadata: {name: llama}\nspec: {predictor: {model: {modelFormat: {name: a},"
        " runtime: vllm}}}\n---\n"
        "apiVersion: serving.kserve.io/v1alpha1\nkind: ServingRuntime\nmetadata: {name: vllm}\n"
        "spec: {supportedModelFormats: [{name: a}], nodeSelector: {gpu: a100},"
        " containers: [{name: kserve-container, resources: {limits: {nvidia.com/gpu: 1}}}]}\n"}});
  const Workload& workload = scope_of(*workspace).workloads().front();
  CHECK(workload.component == "predictor");
  CHECK_FALSE(workload.own.requests_resource(accelerators::is_accelerator));
  CHECK(workload.pod.requests_resource(accelerators::is_accelerator));
  CHECK_FALSE(workload.own.is_pinned());
  CHECK(workload.has_placement_constraint());
}

TEST_CASE("treats a device claim as a placement constraint") {
  const auto workspace = workspace_of(
      {{"a.yaml", deployment("resourceClaims: [{name: gpu}]")}, {"b.yaml", deployment("")}});
  CHECK(scope_of(*workspace).workloads()[0].has_placement_constraint());
  CHECK_FALSE(scope_of(*workspace).workloads()[1].has_placement_constraint());
}

}  // namespace cnsched::workload_test
