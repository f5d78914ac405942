#include "core/kserve/pods.h"
#include "testdata/support.h"

namespace cnsched::kserve::inference_graph_test {

/// The router of a graph.
class Router {
 public:
  explicit Router(const std::string& spec, const std::string& annotations = "",
                  const std::string& more = "")
      : workspace_(workspace_of(
            {{"in.yaml",
              manifest("InferenceGraph", "name: fusion, annotations: {" + annotations + "}", spec) +
                  "---\n" + more}})) {}

  const Workload& pod() const { return scope_of(*workspace_).workloads().front(); }
  const yaml::Node& container() const { return pod().pod["containers"].at(0); }

 private:
  std::unique_ptr<Workspace> workspace_;
};

constexpr const char* kStandard = "serving.kserve.io/deploymentMode: Standard";
constexpr const char* kKnative = "serving.kserve.io/deploymentMode: Serverless";

TEST_CASE("copies only the flat fields of the graph to the router") {
  const Router router("{nodes: {root: {}}, maxReplicas: 2, timeout: 5, hostNetwork: true}",
                      kStandard);
  CHECK(router.pod().pod.node().entries().size() == 1);
  CHECK(router.container()["name"].text() == "fusion");
}

TEST_CASE("names the container and drops nodeName on Knative") {
  const Router router("{nodes: {root: {}}, nodeName: a}", kKnative);
  CHECK(router.container()["name"].text() == "user-container");
  CHECK(router.pod().pod["nodeName"].is_missing());
  CHECK(router.pod().own["nodeName"].text() == "a");
  CHECK(Router("{nodeName: a}", "serving.kserve.io/deploymentMode: ModelMesh")
            .pod()
            .pod["nodeName"]
            .is_missing());
}

TEST_CASE("keeps nodeName and notes an unknown while the mode is unknown") {
  const Router router("{nodeName: a}");
  CHECK(router.pod().pod["nodeName"].text() == "a");
  REQUIRE(router.pod().unknown.size() == 1);
  CHECK_FALSE(router.pod().is_incomplete());
  CHECK(router.pod().unknown.front().what == "the deployment mode (Knative drops 'nodeName')");
  CHECK(Router("{nodeSelector: {a: b}}").pod().unknown.front().what == "the deployment mode");
}

TEST_CASE("raises minReplicas 0 to 1 where HPA scales") {
  const auto replicas = [](const std::string& spec, const std::string& annotations) {
    return *Router(spec, annotations).pod().replicas;
  };
  CHECK(replicas("{}", kStandard) == 1);
  CHECK(replicas("{minReplicas: 3}", kStandard) == 3);
  CHECK(replicas("{minReplicas: 0}", kStandard) == 1);
  CHECK(replicas("{minReplicas: 0}", kKnative) == 0);
  CHECK(replicas("{minReplicas: 0}",
                 std::string(kStandard) + ", serving.kserve.io/autoscalerClass: keda") == 0);
  CHECK(replicas("{minReplicas: 3}", std::string(kKnative) + ", serving.kserve.io/stop: 'true'") ==
        0);
}

TEST_CASE("omits fields that the controller's configuration does not set") {
  const Router router("{}", kStandard,
                      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: inferenceservice-config}\n"
                      "data: {router: '{\"image\": \"router:2\", \"cpuLimit\": \"2\"}'}\n");
  CHECK(router.container()["image"].text() == "router:2");
  CHECK(router.container().under("imagePullPolicy").is_missing());
  const yaml::Node& resources = router.container()["resources"];
  CHECK(resources["limits"].under("cpu").text() == "2");
  CHECK(resources["limits"]["memory"].is_missing());
}

TEST_CASE("prefers the graph's resources, without claims, to the configuration's") {
  const auto limit = [](const std::string& resources) {
    const Router router("{resources: " + resources + "}", kStandard);
    CHECK(router.container()["resources"]["claims"].is_missing());
    return std::string(router.container()["resources"]["limits"].under("cpu").text());
  };
  CHECK(limit("{}") == "1");
  CHECK(limit("null") == "1");
  CHECK(limit("{limits: null}") == "1");
  CHECK(limit("{limits: {}}").empty());
  CHECK(limit("{requests: {cpu: 3}}").empty());
  CHECK(limit("{limits: {cpu: 3}, claims: [{name: a}]}") == "3");
}

TEST_CASE("creates no router for a graph without a spec") {
  const auto workspace = workspace_of(
      {{"in.yaml", "apiVersion: serving.kserve.io/v1alpha1\nkind: InferenceGraph\nspec: []\n"}});
  CHECK(scope_of(*workspace).workloads().empty());
}

}  // namespace cnsched::kserve::inference_graph_test
