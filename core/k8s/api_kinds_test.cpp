#include "core/k8s/api_kinds.h"
#include "core/k8s/scope.h"
#include "testdata/support.h"

namespace cnsched::k8s::api_kinds_test {

std::string near(std::string_view group, std::string_view kind) {
  const ApiKind* row = near_api_kind(group, kind);
  return row == nullptr ? "" : std::string(row->kind);
}

std::string meant(std::string_view api_version, std::string_view kind = "InferenceService") {
  const ApiKind* row = kind_in_misspelt_group(api_version, kind);
  return row == nullptr ? "" : std::string(row->api_version);
}

TEST_CASE("every kind is listed once, of a group with a release") {
  std::set<std::pair<std::string_view, std::string_view>> known;
  for (const ApiKind& row : api_kinds()) {
    CAPTURE(row.kind);
    CHECK(known.emplace(row.api_version, row.kind).second);
    CHECK(is_api_group(row.group()));
    CHECK_FALSE(newest_release(row.group()).empty());
  }
  for (const std::string_view kind :
       {"InferenceService", "InferenceGraph", "ServingRuntime", "ClusterServingRuntime",
        "LLMInferenceService", "LLMInferenceServiceConfig", "TrainedModel", "SeldonDeployment",
        "SeldonRuntime", "SeldonConfig", "ServerConfig"}) {
    CAPTURE(kind);
    CHECK(is_serving_kind(kind));
    CHECK(std::ranges::any_of(known, [&](const auto& row) { return row.second == kind; }));
  }
}

TEST_CASE("a kind is found in its version only, and so is that of its list") {
  CHECK(find_api_kind("serving.kserve.io/v1beta1", "InferenceService") != nullptr);
  CHECK(find_api_kind("serving.kserve.io/v1beta1", "InferenceServiceList") != nullptr);
  CHECK(find_api_kind("serving.kserve.io/v1alpha1", "Predictor") != nullptr);
  CHECK(find_api_kind("mlops.seldon.io/v1alpha1", "Pipeline") != nullptr);
  CHECK(find_api_kind("serving.kserve.io/v1", "InferenceService") == nullptr);
  CHECK(find_api_kind("serving.kserve.io/v1beta1", "inferenceservice") == nullptr);
  CHECK(find_api_kind("mlops.seldon.io/v1alpha1", "SeldonDeployment") == nullptr);
}

TEST_CASE("finds the kind that another one misspells") {
  CHECK(near("serving.kserve.io", "InferenceServce") == "InferenceService");
  CHECK(near("serving.kserve.io", "InferenceServices") == "InferenceService");
  CHECK(near("serving.kserve.io", "InferenceServer") == "InferenceService");
  CHECK(near("serving.kserve.io", "ServingRuntimes") == "ServingRuntime");
  CHECK(near("serving.kserve.io", "ClusterServingRuntme") == "ClusterServingRuntime");
  CHECK(near("serving.kserve.io", "SeldonDeploymnt") == "SeldonDeployment");
  CHECK(near("mlops.seldon.io", "model") == "Model");
  CHECK(near("mlops.seldon.io", "Servers") == "Server");
  CHECK(near("operator.knative.dev", "KnativeServng") == "KnativeServing");
  for (const std::string kind : {"ModelCache", "InferencePool", "LLMInferencePool", "Router", "Svr",
                                 "InferenceServiceTemplate", "Mode1", ""}) {
    CAPTURE(kind);
    CHECK(near("serving.kserve.io", kind).empty());
  }
}

TEST_CASE("finds the group that another one misspells") {
  const std::string kserve = "serving.kserve.io/v1beta1";
  for (const std::string version :
       {"kserve.io/v1beta1", "serving.kserver.io/v1beta1", "serving.kserve.com/v1beta1",
        "servng.kserve.io/v1beta1", "serving.kserve/v1beta1", "serving.kserve.io", "v1beta1",
        "kserve/v1beta1", "inference.kserve.io/v1beta1", "kserve.io/v1", "apps/v1",
        "serving.kubeflow.io/v1beta1"}) {
    CAPTURE(version);
    CHECK(meant(version) == kserve);
  }
  CHECK(meant("mlops.seldon.ai/v1alpha1", "Model") == "mlops.seldon.io/v1alpha1");
  CHECK(meant("seldon.io/v1alpha2", "SeldonDeployment") == "machinelearning.seldon.io/v1alpha2");
  CHECK(meant("knative.dev/v1beta1", "KnativeServing") == "operator.knative.dev/v1beta1");
}

TEST_CASE("the groups of other projects are no misspellings") {
  for (const std::string version :
       {"ome.io/v1beta1", "inference.llmkube.dev/v1alpha1", "odin.moreh.io/v1alpha1",
        "inference.llm-d.ai/v1alpha1", "example.com/v1", "serving.example.com/v1beta1",
        "serving.knative.dev/v1", "kserve.example.com/v1", "serving.kserve.io/v9", "", "{}",
        "${GROUP}/v1"}) {
    CAPTURE(version);
    CHECK(meant(version).empty());
  }
  CHECK(meant("kserve.io/v1beta1", "Ingress").empty());
  CHECK(meant("v1", "Model").empty());
  CHECK(meant("example.com/v1", "Server").empty());
  CHECK(meant("karpenter.sh/v1", "Predictor").empty());
}

TEST_CASE("reads what a CustomResourceDefinition defines") {
  const auto defined = [](const std::string& text) {
    const Parsed parsed(text);
    std::string all;
    for (const Object& object : objects_in(parsed.document)) {
      for (const schema::Definition& each : definitions_in(object)) {
        all += each.api_version + " " + each.kind + (each.served ? "\n" : " unserved\n");
      }
    }
    return all;
  };
  const std::string head = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n";
  CHECK(defined(head + "spec:\n  group: serving.kserve.io\n  names: {kind: ModelCache}\n"
                       "  versions: [{name: v1, served: true}, {name: v2, served: false}, {}]\n") ==
        "serving.kserve.io/v1 ModelCache\nserving.kserve.io/v2 ModelCache unserved\n");
  CHECK(defined(head + "spec: {group: example.com, names: {kind: Model}, version: v1}\n") ==
        "example.com/v1 Model\n");
  CHECK(defined(head + "spec: {group: example.com, names: {kind: X}, version: v1}\n").empty());
  CHECK(defined(head + "spec: []\n").empty());
  CHECK(defined("apiVersion: v1\nkind: CustomResourceDefinition\n"
                "spec: {group: serving.kserve.io, names: {kind: X}, version: v1}\n")
            .empty());
}

}  // namespace cnsched::k8s::api_kinds_test
