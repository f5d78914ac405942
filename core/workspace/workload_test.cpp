#include "core/workspace/workload.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "core/accelerators/catalogue.h"
#include "testdata/support.h"

namespace cnsched {

namespace {

std::string deployment(const std::string& pod) {
  return "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\n"
         "spec: {template: {spec: {" +
         pod + "}}}\n";
}

bool takes_advice(const std::string& text) {
  const auto workspace = test::workspace_of({{"a.yaml", text}});
  REQUIRE(test::scope_of(*workspace).workloads().size() == 1);
  return test::scope_of(*workspace).workloads().front().takes_placement_advice();
}

}  // namespace

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
  const auto workspace = test::workspace_of(
      {{"a.yaml",
        "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\n"
        "metadata: {name: llama}\nspec: {predictor: {model: {modelFormat: {name: a},"
        " runtime: vllm}}}\n---\n"
        "apiVersion: serving.kserve.io/v1alpha1\nkind: ServingRuntime\nmetadata: {name: vllm}\n"
        "spec: {supportedModelFormats: [{name: a}], nodeSelector: {gpu: a100},"
        " containers: [{name: kserve-container, resources: {limits: {nvidia.com/gpu: 1}}}]}\n"}});
  const Workload& workload = test::scope_of(*workspace).workloads().front();
  CHECK(workload.component == "predictor");
  CHECK_FALSE(workload.own.requests_resource(accelerators::is_accelerator));
  CHECK(workload.pod.requests_resource(accelerators::is_accelerator));
  CHECK_FALSE(workload.own.is_pinned());
  CHECK(workload.has_placement_constraint());
}

TEST_CASE("treats a device claim as a placement constraint") {
  const auto workspace = test::workspace_of(
      {{"a.yaml", deployment("resourceClaims: [{name: gpu}]")}, {"b.yaml", deployment("")}});
  CHECK(test::scope_of(*workspace).workloads()[0].has_placement_constraint());
  CHECK_FALSE(test::scope_of(*workspace).workloads()[1].has_placement_constraint());
}

namespace {

/// For each pod of the run, in order, whether it is a patch: "y" or "n".
std::string patches(const std::string& text) {
  const auto workspace = test::workspace_of({{"a.yaml", text}});
  std::string all;
  for (const Workload& workload : test::scope_of(*workspace).workloads()) {
    all += is_patch(workload, *workload.scope) ? 'y' : 'n';
  }
  return all;
}

std::string service(const std::string& predictor) {
  return "---\napiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\n"
         "metadata: {name: a}\nspec: {predictor: " +
         predictor + "}\n";
}

std::string server(const std::string& spec) {
  return "---\napiVersion: mlops.seldon.io/v1alpha1\nkind: Server\nmetadata: {name: a}\nspec: " +
         spec + "\n";
}

}  // namespace

TEST_CASE("treats a predictor without a model as a patch if another object has its name") {
  const std::string whole = service("{model: {modelFormat: {name: onnx}}}");
  const std::string patch = service("{nodeSelector: {pool: gpu}}");
  CHECK(patches(patch) == "n");
  CHECK(patches(whole + patch) == "ny");
  CHECK(patches(whole + service("{model: {args: [a]}}")) == "ny");
  CHECK(patches(whole + whole) == "nn");
  CHECK(patches(whole + service("{containers: [{name: a, image: b}]}")) == "nn");
}

TEST_CASE("treats every pod of a patch as a patch") {
  CHECK(patches(service("{model: {modelFormat: {name: onnx}, $patch: replace}}")) == "y");
  CHECK(patches(server("{serverConfig: mlserver, podSpec: {$patch: replace}}")) == "y");
}

TEST_CASE("a Server without its required serverConfig is a patch") {
  CHECK(patches(server("{replicas: 1}")) == "y");
  CHECK(patches(server("{serverConfig: mlserver}")) == "n");
}

namespace {

bool is_injected(const std::string& metadata, const std::string& spec = "{}") {
  const test::Parsed parsed("{apiVersion: v1, kind: Pod, metadata: " + metadata +
                            ", spec: " + spec + "}");
  const auto objects = k8s::objects_in(parsed.document);
  REQUIRE(objects.size() == 1);
  const yaml::Node& pod = objects.front().spec();
  const Workload workload{k8s::plain_pod("", pod, pod), nullptr, &objects.front()};
  return gets_placement_from_others(workload);
}

}  // namespace

TEST_CASE("profiles, queues and runtime classes place pods as well") {
  CHECK(is_injected("{name: a, annotations: {opendatahub.io/hardware-profile-name: gpu}}"));
  CHECK(is_injected("{name: a, labels: {kueue.x-k8s.io/queue-name: gpus}}"));
  CHECK(is_injected("{name: a}", "{runtimeClassName: nvidia}"));
  CHECK_FALSE(is_injected("{name: a, labels: {app: a}}", "{nodeSelector: {pool: gpu}}"));
}

}  // namespace cnsched
