#include "core/seldon/pods.h"

#include "testdata/support.h"

namespace cnsched::seldon::pods_test {

/// A manifest of one object whose pods all have the nodeSelector `gpu: a100`.
struct Case {
  std::string text;
  std::string component;
  std::string pointer;  ///< of the pod spec
  bool fragment = false;
};

/// The pods in a workspace with this object only.
std::vector<k8s::PodTemplate> pods_of(const k8s::Object& object, Arena& arena) {
  return pod_templates(object, k8s::Objects(), k8s::ControllerConfig(), arena);
}

std::string components_of(const std::string& text) {
  const Parsed parsed(text);
  Arena arena;
  return joined(pods_of(parsed.object(), arena), &k8s::PodTemplate::component, "|");
}

std::string core_2(const std::string& kind, const std::string& spec) {
  return "{apiVersion: mlops.seldon.io/v1alpha1, kind: " + kind + ", spec: " + spec + "}";
}

std::string core_1(const std::string& spec) {
  return "{apiVersion: machinelearning.seldon.io/v1, kind: SeldonDeployment, spec: " + spec + "}";
}

TEST_CASE("finds the pod at every path of Seldon's kinds, with its pointer and spans") {
  const std::string pod = "{nodeSelector: {gpu: a100}}";
  const std::vector<Case> cases = {
      {core_2("Server", "{podSpec: " + pod + "}"), "", "/spec/podSpec"},
      {core_2("ServerConfig", "{podSpec: " + pod + "}"), "", "/spec/podSpec", true},
      {core_2("SeldonConfig", "{components: [{name: envoy, podSpec: " + pod + "}]}"),
       "component envoy", "/spec/components/0/podSpec", true},
      {core_2("SeldonConfig", "{components: [{podSpec: " + pod + "}]}"), "component[0]",
       "/spec/components/0/podSpec", true},
      {core_2("SeldonRuntime", "{overrides: [{name: envoy, podSpec: " + pod + "}]}"),
       "component envoy", "/spec/overrides/0/podSpec"},
      {core_1("{predictors: [{name: main, componentSpecs: [{spec: " + pod + "}]}]}"),
       "predictor main", "/spec/predictors/0/componentSpecs/0/spec"},
      {core_1("{predictors: [{componentSpecs: [{spec: " + pod + "}]}]}"), "predictor[0]",
       "/spec/predictors/0/componentSpecs/0/spec"},
  };
  for (const Case& each : cases) {
    CAPTURE(each.text);
    const Parsed parsed(each.text);
    Arena arena;
    const k8s::Object& object = parsed.object();
    const auto pods = pods_of(object, arena);
    REQUIRE(pods.size() == 1);
    CHECK(pods.front().component == each.component);
    CHECK(pods.front().fragment == each.fragment);
    CHECK(yaml::pointer_to(*pods.front().written, *object.root) == each.pointer);
    const yaml::Node& value = pods.front().pod["nodeSelector"]["gpu"];
    CHECK(parsed.at(value.span) == "a100");
    CHECK(yaml::pointer_to(value, *object.root) == each.pointer + "/nodeSelector/gpu");
  }
}

TEST_CASE("creates one pod for each componentSpec, with its index") {
  CHECK(components_of(core_1("{predictors: [{name: a, componentSpecs: [{spec: {}}, {spec: {}}]},"
                             " {name: b, componentSpecs: [{spec: {}}]}]}")) ==
        "predictor a, componentSpecs[0]|predictor a, componentSpecs[1]|predictor b");
}

TEST_CASE("skips items without a podSpec and keeps the others' indexes") {
  CHECK(components_of(core_2("SeldonConfig", "{components: [{name: a}, {podSpec: {}}, null]}")) ==
        "component[1]");
  CHECK(components_of(core_2("SeldonRuntime", "{overrides: [{name: a, podSpec: null}]}")).empty());
  CHECK(components_of(core_1("{predictors: [{name: a, componentSpecs: [{spec: null}]}]}")).empty());
}

TEST_CASE("creates no pod for Model, Pipeline and Experiment") {
  for (const std::string kind : {"Model", "Pipeline", "Experiment"}) {
    CAPTURE(kind);
    CHECK(components_of(core_2(kind, "{podSpec: {nodeName: a}}")).empty());
  }
}

TEST_CASE("creates no pod for kinds of other groups") {
  CHECK(components_of("{apiVersion: example.com/v1, kind: Server, spec: {podSpec: {}}}").empty());
  CHECK(components_of("{apiVersion: machinelearning.seldon.io/v1, kind: Server,"
                      " spec: {podSpec: {}}}")
            .empty());
}

}  // namespace cnsched::seldon::pods_test

namespace cnsched::seldon::container_names_test {

using Names = std::vector<std::string_view>;
const Names kTriton = {"rclone", "agent", "triton"};
TEST_CASE("identifies the model server as the only container that is not a helper") {
  CHECK(main_container(kTriton) == "triton");
  CHECK(main_container({"scheduler"}) == "scheduler");
  CHECK(main_container({"agent", "triton", "exporter"}) == "");
  CHECK(main_container({"agent", "rclone"}) == "");
}

TEST_CASE("finds a container whose name differs in case or separators") {
  CHECK(intended_container("Triton", "gpu", kTriton) == "triton");
  CHECK(intended_container("AGENT", "gpu", kTriton) == "agent");
  CHECK(intended_container("tritn", "gpu", kTriton) == "triton");
  CHECK(intended_container("triton-container", "gpu", kTriton) == "triton");
  CHECK(intended_container("agent-container", "gpu", kTriton) == "agent");
  CHECK(intended_container("tritonserver", "gpu", kTriton) == "triton");
}

TEST_CASE("maps common names of model servers to the model server") {
  for (const std::string_view name : {"mlserver", "kserve-container", "server", "main", "gpu"}) {
    CHECK(intended_container(name, "gpu", kTriton) == "triton");
  }
  CHECK(intended_container("mlserver", "gpu", {"agent", "one", "two"}) == "");
}

TEST_CASE("maps a sidecar's name to no container") {
  for (const std::string_view name :
       {"triton-exporter", "metrics-agent", "rclone-sync", "vllm", "nginx", ""}) {
    CHECK(intended_container(name, "gpu", kTriton) == "");
  }
}

}  // namespace cnsched::seldon::container_names_test
