#include "core/sim/cluster.h"
#include "core/facts/cluster_config.h"
#include "testdata/scenario.h"

namespace cnsched::sim::cluster_test {

const std::string kPod = pod("containers: []");

TEST_CASE("finds label values by node, and nodes by value") {
  LabelColumn column(130);
  column.set(0, "a");
  column.set(64, "b");
  column.set(129, "a");
  CHECK(column.value_of(0) == "a");
  CHECK(column.value_of(64) == "b");
  CHECK_FALSE(column.value_of(1));
  CHECK(column.value_index(129) == column.value_index(0));
  CHECK(column.value_index(64) != column.value_index(0));
  CHECK(column.value_index(1) == 0);
  CHECK(column.values() == 2);
  CHECK(column.nodes().count() == 3);
  const auto where = [&](auto matches) { return column.where(matches); };
  using Value = std::optional<std::string_view>;
  CHECK(where([](Value v) { return v == "a"; }).count() == 2);
  CHECK(where([](Value v) { return v != "a"; }).count() == 128);
  CHECK(where([](Value v) { return !v; }).count() == 127);
  CHECK(where([](Value) { return true; }) == NodeSet::all(130));
  CHECK(where([](Value) { return false; }).empty());
}

TEST_CASE("uses the last value of a duplicate label") {
  LabelColumn column(2);
  column.set(1, "a");
  column.set(1, "b");
  CHECK(column.value_of(1) == "b");
  CHECK(column.nodes().count() == 1);
}

TEST_CASE("ignores requests of pods on unknown nodes, but knows that Pods are given") {
  const Scenario scenario(node("a") + running_pod("r", "gone"), kPod);
  CHECK(scenario.cluster().pods().empty());
  CHECK(scenario.cluster().has_pods_given());
  CHECK_FALSE(Scenario(node("a"), kPod).cluster().has_pods_given());
}

TEST_CASE("treats a Pod in a manifest as running only if it has a status") {
  const std::string bound =
      "{apiVersion: v1, kind: Pod, metadata: {name: x}, spec: {nodeName: a, containers: []}";
  CHECK(Scenario(node("a"), bound + "}").cluster().pods().empty());
  const Scenario printed(node("a"), bound + ", status: {phase: Running}}\n" + kPod);
  CHECK(printed.cluster().pods().size() == 1);
  CHECK(printed.simulation().workloads().size() == 1);
}

TEST_CASE("the lasting view has no nodes if only manifests define them") {
  const std::string manifests = node("mine") + kPod;
  CHECK(Scenario(node("a"), manifests).cluster().size() == 2);
  const SimulationOptions lasting{.view = Cluster::View::lasting};
  CHECK(Scenario(node("a"), manifests, lasting).cluster().size() == 2);
  CHECK(Scenario("", manifests, lasting).cluster().size() == 0);
}

TEST_CASE("a placed pod requests resources until its node is replaced") {
  const Scenario scenario(node("a", "", "", "cpu: 2, pods: 2"),
                          pod_with("resources: {requests: {cpu: 1500m}}"));
  Cluster cluster = scenario.cluster();
  CHECK(cluster.resource("cpu")->on(0).free() == 2000);
  cluster.place(scenario.pod(), 0);
  CHECK(cluster.resource("cpu")->on(0).free() == 500);
  CHECK(cluster.pod_slots().on(0).free() == 1);
  CHECK(Scenario::on("a", Diagnosis(scenario.pod(), cluster)) == "Insufficient cpu");
  cluster.replace_node(0);
  CHECK(cluster.resource("cpu")->on(0).free() == 2000);
  CHECK(cluster.pod_slots().on(0).free() == 2);
  CHECK(cluster.generation(0) == 1);
  CHECK_FALSE(cluster.is_on_current_node(cluster.pods().front()));
}

TEST_CASE("labels of clouds and operators are unknown on pools of a configuration") {
  const Parsed parsed(
      "{nodePools: [{name: gpu, labels: {pool: gpu}, taints: [{key: k, effect: NoSchedule}], "
      "allocatable: {cpu: 4}}]}");
  const facts::ClusterConfig config = facts::read_cluster_config(parsed.root());
  const auto on = [&](const std::string& spec) {
    return Scenario("", pod("tolerations: [{operator: Exists}], " + spec), {}, &config).on("gpu");
  };
  CHECK(on("containers: []") == "ok");
  CHECK(on("containers: [], nodeSelector: {pool: gpu}") == "ok");
  CHECK(on("containers: [], nodeSelector: {pool: cpu}") ==
        "node(s) didn't match Pod's node affinity/selector");
  CHECK(on("containers: [], nodeSelector: {other: x}") ==
        "node(s) didn't match Pod's node affinity/selector");
  CHECK(on("containers: [], nodeSelector: {topology.kubernetes.io/zone: z}") ==
        "? unknown whether the pool's nodes have the required labels: the pool does not list them");
  CHECK(on("containers: [{name: c, resources: {requests: {cpu: 5}}}]") == "Insufficient cpu");
  CHECK(on("containers: [{name: c, resources: {requests: {cpu: 4}}}]") == "ok");
  CHECK(Scenario("", pod("containers: []"), {}, &config).on("gpu") ==
        "node(s) had untolerated taint(s)");
}

TEST_CASE("the free resources of a pool without allocatable are unknown") {
  const Parsed parsed("{nodePools: [{name: gpu, labels: {pool: gpu}}]}");
  const facts::ClusterConfig config = facts::read_cluster_config(parsed.root());
  CHECK(Scenario("", kPod, {}, &config).on("gpu").starts_with("? free resources are unknown"));
}

}  // namespace cnsched::sim::cluster_test
