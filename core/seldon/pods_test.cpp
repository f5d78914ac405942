#include "core/seldon/pods.h"
#include "core/seldon/pod_merge.h"
#include "core/seldon/server_capacity.h"
#include "core/yaml/write.h"
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
    const yaml::Node& value = pods.front().pod["nodeSelector"].under("gpu");
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

namespace cnsched::seldon::server_test {

const std::string kServer = manifest("Server", "name: gpu, namespace: models",
                                     "{serverConfig: base, podSpec: {nodeSelector: {pool: gpu}}}");

std::string config(const std::string& ns) {
  return manifest("ServerConfig", "name: base, namespace: " + ns,
                  "{podSpec: {nodeSelector: {zone: " + ns + "}}}");
}

/// The pod of the workspace's Server.
const Workload& server_of(const Workspace& workspace) {
  for (const Workload& workload : scope_of(workspace).workloads()) {
    if (workload.object->kind == "Server") return workload;
  }
  FAIL("no pod of a Server");
  return scope_of(workspace).workloads().front();
}

TEST_CASE("lists the ServerConfig as base, and keeps the spans of values") {
  const auto run = workspace_of({{"s.yaml", kServer}, {"c.yaml", config("mesh")}});
  const Workload& pod = server_of(*run);
  REQUIRE(pod.bases.size() == 1);
  const k8s::Object& base = *pod.bases.front().object;
  CHECK(base.kind == "ServerConfig");
  CHECK(pod.unknown.empty());
  CHECK(pod.name == "gpu");
  CHECK_FALSE(pod.fragment);

  const yaml::Node& own = pod.object->spec()["podSpec"];
  CHECK(pod.written == &own);
  CHECK(&pod.own.node() == &own);
  CHECK(&pod.pod["nodeSelector"]["pool"] == &own["nodeSelector"]["pool"]);
  const yaml::Node& zone = base.spec()["podSpec"]["nodeSelector"].under("zone");
  CHECK(&pod.pod["nodeSelector"].under("zone") == &zone);
  CHECK(&pod.bases.front().pod["nodeSelector"].under("zone") == &zone);
  CHECK(pod.labels->under("seldon-server-name").span == (*pod.object)["metadata"]["name"].span);
}

TEST_CASE("prefers the nearest of several ServerConfigs with the same name") {
  const auto near = workspace_of(
      {{"a/s.yaml", kServer}, {"a/c.yaml", config("near")}, {"b/c.yaml", config("far")}});
  CHECK(server_of(*near).pod["nodeSelector"].under("zone").text() == "near");

  const auto unclear = workspace_of(
      {{"a/s.yaml", kServer}, {"b/c.yaml", config("one")}, {"c/c.yaml", config("other")}});
  const Workload& pod = server_of(*unclear);
  CHECK_FALSE(pod.pod["nodeSelector"].under("zone"));
  REQUIRE(pod.unknown.size() == 1);
  CHECK(pod.unknown.front().what == "ServerConfig 'base'");
  CHECK(pod.is_incomplete());
}

TEST_CASE("does not mark a pod with a shipped ServerConfig as incomplete") {
  for (const auto& [name, incomplete] :
       {std::pair{"mlserver", false}, {"triton", false}, {"mlserver-gpu", true}}) {
    CAPTURE(name);
    std::string text = kServer;
    text.replace(text.find("base"), 4, name);
    const auto run = workspace_of({{"s.yaml", text}});
    CHECK(server_of(*run).unknown.size() == 1);
    CHECK(server_of(*run).is_incomplete() == incomplete);
  }
}

TEST_CASE("points at the spec of a Server without a podSpec") {
  const std::string text =
      "{apiVersion: mlops.seldon.io/v1alpha1, kind: Server, metadata: {name: gpu},"
      " spec: {serverConfig: base}}";
  const auto run = workspace_of({{"s.yaml", text}, {"c.yaml", config("mesh")}});
  const Workload& pod = server_of(*run);
  CHECK(pod.written == &pod.object->spec());
  CHECK(pod.own.node().is_missing());
  CHECK(pod.pod["nodeSelector"].under("zone").text() == "mesh");
}

TEST_CASE("takes a Server's replicas, then the minimum, else 1") {
  struct Case {
    std::string spec;
    std::int64_t replicas;
    std::string error{};
  };
  const std::vector<Case> cases = {
      {"{}", 1},
      {"{replicas: 3}", 3},
      {"{replicas: 0}", 0},
      {"{minReplicas: 2}", 2},
      {"{minReplicas: 0}", 1},
      {"{replicas: 3, minReplicas: 2, maxReplicas: 4}", 3},
      {"{replicas: 3, maxReplicas: 0}", 3},
      {"{replicas: 3, maxReplicas: -1}", 3},
      {"{replicas: 0, minReplicas: 1}", 0, "number of replicas 0 must be >= min replicas 1"},
      {"{replicas: 1, minReplicas: 2}", 1, "number of replicas 1 must be >= min replicas 2"},
      {"{replicas: 3, maxReplicas: 2}", 3, "number of replicas 3 must be <= max replicas 2"},
      {"{minReplicas: 3, maxReplicas: 2}", 3,
       "min number of replicas 3 must be <= max number of replicas 2"},
  };
  for (const Case& each : cases) {
    CAPTURE(each.spec);
    const Parsed parsed(each.spec);
    const Scaling scaling = server_scaling(parsed.root());
    CHECK(scaling.replicas == each.replicas);
    CHECK(scaling.error == (each.error.empty() ? "" : "scaling spec is invalid: " + each.error));
  }
}

}  // namespace cnsched::seldon::server_test

namespace cnsched::seldon::pod_merge_test {

std::string merged(const std::string& config, const std::string& override) {
  const Parsed below(config);
  const Parsed above(override);
  Arena arena;
  return yaml::to_flow(merge_containers(arena, below.root(), above.root()), false);
}

TEST_CASE("merges containers with the same name, then adds the config's others") {
  CHECK(merged("[{name: a, image: v1}, {name: b}]", "[{name: b, image: v2}, {name: c}]") ==
        "[{name: b, image: v2}, {name: c}, {name: a, image: v1}]");
}

TEST_CASE("keeps a null container") {
  CHECK(merged("[{name: a}]", "[null]") == "[null, {name: a}]");
  const Parsed config("[{name: a}]");
  const Parsed override("[null]");
  Arena arena;
  CHECK(merge_containers(arena, config.root(), override.root()).items()[0]->is_null());
}

}  // namespace cnsched::seldon::pod_merge_test
