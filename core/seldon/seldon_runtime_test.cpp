#include "core/seldon/pods.h"
#include "testdata/support.h"

namespace cnsched::seldon::seldon_runtime_test {

const std::string kConfig = R"(
apiVersion: mlops.seldon.io/v1alpha1
kind: SeldonConfig
metadata: {name: default, namespace: seldon-mesh}
spec:
  components:
  - {name: envoy, replicas: 5, podSpec: {nodeSelector: {pool: system}}}
  - {name: hodometer, replicas: 5, podSpec: {nodeSelector: {pool: system}}}
  - {name: scheduler, replicas: 5, podSpec: {nodeSelector: {pool: system}}}
  - null
)";

const std::string kRuntime = R"(
apiVersion: mlops.seldon.io/v1alpha1
kind: SeldonRuntime
metadata: {name: seldon, namespace: models}
spec:
  seldonConfig: default
  overrides:
  - {name: envoy, replicas: 2}
  - {name: hodometer, disable: true, replicas: 3}
  - {name: gone, podSpec: {nodeSelector: {pool: system}}}
)";

/// The pods of the workspace's SeldonRuntime by component.
std::map<std::string, const Workload*> pods_in(const Workspace& workspace) {
  std::map<std::string, const Workload*> pods;
  for (const Workload& workload : scope_of(workspace).workloads()) {
    if (workload.object->kind == "SeldonRuntime") pods[workload.component] = &workload;
  }
  return pods;
}

TEST_CASE("lowers the replicas of what shares out Models and Pipelines to their number") {
  const std::string config = R"(
apiVersion: mlops.seldon.io/v1alpha1
kind: SeldonConfig
metadata: {name: default}
spec:
  components:
  - {name: seldon-modelgateway, podSpec: {}}
  - {name: seldon-pipelinegateway, podSpec: {}}
  - {name: seldon-dataflow-engine, podSpec: {}}
)";
  const std::string runtime = R"(
apiVersion: mlops.seldon.io/v1alpha1
kind: SeldonRuntime
metadata: {name: seldon}
spec:
  seldonConfig: default
  overrides:
  - {name: seldon-modelgateway, replicas: 3, podSpec: {}}
  - {name: seldon-pipelinegateway, replicas: 0}
  - {name: seldon-dataflow-engine, replicas: 3}
)";
  const std::string models =
      "{apiVersion: mlops.seldon.io/v1alpha1, kind: Model, metadata: {name: a}}\n---\n"
      "{apiVersion: mlops.seldon.io/v1alpha1, kind: Model, metadata: {name: b}}\n";
  const auto none = workspace_of({{"c.yaml", config}, {"r.yaml", runtime}});
  CHECK(pods_in(*none).at("component seldon-modelgateway")->replicas == 1);
  CHECK(pods_in(*none).at("component seldon-pipelinegateway")->replicas == 0);
  CHECK(pods_in(*none).at("component seldon-dataflow-engine")->replicas == 1);

  const auto two = workspace_of({{"c.yaml", config}, {"r.yaml", runtime}, {"m.yaml", models}});
  CHECK(pods_in(*two).at("component seldon-modelgateway")->replicas == 2);
  CHECK(pods_in(*two).at("component seldon-dataflow-engine")->replicas == 1);

  // The SeldonConfig may multiply the number.
  const auto unknown = workspace_of({{"r.yaml", runtime}, {"m.yaml", models}});
  CHECK(pods_in(*unknown).at("component seldon-modelgateway")->replicas == 3);
}

TEST_CASE("takes a component's replicas from the override, else 1") {
  const auto run = workspace_of({{"c.yaml", kConfig}, {"r.yaml", kRuntime}});
  const auto pods = pods_in(*run);
  REQUIRE(pods.size() == 4);
  CHECK(pods.at("component envoy")->replicas == 2);
  CHECK(pods.at("component scheduler")->replicas == 1);
  CHECK(pods.at("component hodometer")->replicas == 0);
  CHECK(pods.at("component hodometer")->why_never_created() == "the override disables it");
  CHECK(pods.at("override gone")->why_never_created() ==
        "SeldonConfig 'default' has no component of that name");
}

TEST_CASE("points at the runtime's spec for a component without an override") {
  const auto run = workspace_of({{"c.yaml", kConfig}, {"r.yaml", kRuntime}});
  const auto pods = pods_in(*run);
  const Workload& scheduler = *pods.at("component scheduler");
  CHECK(scheduler.written == &scheduler.object->spec());
  CHECK(scheduler.own.node().is_missing());
  CHECK(scheduler.bases.front().object->kind == "SeldonConfig");
  const Workload& envoy = *pods.at("component envoy");
  CHECK(envoy.written == &envoy.object->spec()["overrides"].at(0));
}

TEST_CASE("marks an override incomplete without the SeldonConfig") {
  const auto run = workspace_of({{"r.yaml", kRuntime}});
  const auto pods = pods_in(*run);
  REQUIRE(pods.size() == 1);
  const Workload& pod = *pods.at("component gone");
  CHECK(pod.is_incomplete());
  CHECK(pod.unknown.front().what == "SeldonConfig 'default'");
  CHECK_FALSE(pod.never_created);
}

TEST_CASE("never creates the pods of a SeldonRuntime without a SeldonConfig") {
  std::string text = kRuntime;
  text.erase(text.find("  seldonConfig: default\n"), 24);
  const auto run = workspace_of({{"c.yaml", kConfig}, {"r.yaml", text}});
  const auto pods = pods_in(*run);
  REQUIRE(pods.size() == 1);
  CHECK(pods.at("component gone")->why_never_created() == "'seldonConfig' is missing");
}

}  // namespace cnsched::seldon::seldon_runtime_test
