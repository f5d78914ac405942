#include "core/seldon/pods.h"
#include "core/seldon/server_capacity.h"
#include "testdata/support.h"

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
  const yaml::Node& zone = base.spec()["podSpec"]["nodeSelector"]["zone"];
  CHECK(&pod.pod["nodeSelector"]["zone"] == &zone);
  CHECK(&pod.bases.front().pod["nodeSelector"]["zone"] == &zone);
  CHECK(pod.labels->operator[]("seldon-server-name").span ==
        (*pod.object)["metadata"]["name"].span);
}

TEST_CASE("prefers the nearest of several ServerConfigs with the same name") {
  const auto near = workspace_of(
      {{"a/s.yaml", kServer}, {"a/c.yaml", config("near")}, {"b/c.yaml", config("far")}});
  CHECK(server_of(*near).pod["nodeSelector"]["zone"].text() == "near");

  const auto unclear = workspace_of(
      {{"a/s.yaml", kServer}, {"b/c.yaml", config("one")}, {"c/c.yaml", config("other")}});
  const Workload& pod = server_of(*unclear);
  CHECK_FALSE(pod.pod["nodeSelector"]["zone"]);
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
  CHECK(pod.pod["nodeSelector"]["zone"].text() == "mesh");
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
