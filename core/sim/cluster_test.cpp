#include "core/sim/cluster.h"

#include <doctest/doctest.h>

#include <optional>
#include <string>

#include "core/workloads/cluster_config.h"
#include "testdata/scenario.h"

namespace cnsched::sim {

namespace {

using test::node;
using test::running;
using test::Scenario;

const std::string kPod = test::pod("containers: []");

}  // namespace

TEST_CASE("a label's values are found node by node, and the nodes by value") {
  LabelColumn column(130);
  column.set(0, "a");
  column.set(64, "b");
  column.set(129, "a");
  CHECK(column.value_of(0) == "a");
  CHECK(column.value_of(64) == "b");
  CHECK_FALSE(column.value_of(1));
  CHECK(column.place_of(129) == column.place_of(0));
  CHECK(column.place_of(64) != column.place_of(0));
  CHECK(column.place_of(1) == 0);
  CHECK(column.values() == 2);
  CHECK(column.with().count() == 3);
  const auto where = [&](auto matches) { return column.where(matches); };
  using Value = std::optional<std::string_view>;
  CHECK(where([](Value v) { return v == "a"; }).count() == 2);
  CHECK(where([](Value v) { return v != "a"; }).count() == 128);
  CHECK(where([](Value v) { return !v; }).count() == 127);
  CHECK(where([](Value) { return true; }) == NodeSet::all(130));
  CHECK(where([](Value) { return false; }).empty());
}

TEST_CASE("of a label that comes twice the last value counts") {
  LabelColumn column(2);
  column.set(1, "a");
  column.set(1, "b");
  CHECK(column.value_of(1) == "b");
  CHECK(column.with().count() == 1);
}

TEST_CASE("pods on nodes that are not given take no room, but tell that Pods are given") {
  const Scenario scenario(node("a") + running("r", "gone"), kPod);
  CHECK(scenario.cluster().pods().empty());
  CHECK(scenario.cluster().knows_pods());
  CHECK_FALSE(Scenario(node("a"), kPod).cluster().knows_pods());
}

TEST_CASE("a Pod among the manifests takes room only once it runs") {
  const std::string bound =
      "{apiVersion: v1, kind: Pod, metadata: {name: x}, spec: {nodeName: a, containers: []}";
  CHECK(Scenario(node("a"), bound + "}").cluster().pods().empty());
  const Scenario printed(node("a"), bound + ", status: {phase: Running}}\n" + kPod);
  CHECK(printed.cluster().pods().size() == 1);
  CHECK(printed.simulation().workloads().size() == 1);
}

TEST_CASE(
    "what always is holds without Pods, cordons and failing nodes, if nodes are given at all") {
  const std::string manifests = node("mine") + kPod;
  CHECK(Scenario(node("a"), manifests).cluster().size() == 2);
  const SimulationOptions lasting{.view = Cluster::View::lasting};
  CHECK(Scenario(node("a"), manifests, lasting).cluster().size() == 2);
  CHECK(Scenario("", manifests, lasting).cluster().size() == 0);
}

TEST_CASE("a pod that is placed takes room, until its node is another one") {
  const Scenario scenario(node("a", "", "", "cpu: 2, pods: 2"),
                          test::pod_with("resources: {requests: {cpu: 1500m}}"));
  Cluster cluster = scenario.cluster();
  CHECK(cluster.resource("cpu")->on(0).free() == 2000);
  cluster.place(scenario.pod(), 0);
  CHECK(cluster.resource("cpu")->on(0).free() == 500);
  CHECK(cluster.pod_places().on(0).free() == 1);
  CHECK(Scenario::on("a", Diagnosis(scenario.pod(), cluster)) == "Insufficient cpu");
  cluster.renew(0);
  CHECK(cluster.resource("cpu")->on(0).free() == 2000);
  CHECK(cluster.pod_places().on(0).free() == 2);
  CHECK(cluster.generation(0) == 1);
  CHECK_FALSE(cluster.is_on_present_node(cluster.pods().front()));
}

TEST_CASE(
    "pools of a configuration are nodes that may be added, with labels that others set open") {
  const test::Parsed parsed(
      "{nodePools: [{name: gpu, labels: {pool: gpu}, taints: [{key: k, effect: NoSchedule}], "
      "allocatable: {cpu: 4}}]}");
  const ClusterConfig config = read_cluster_config(parsed.root());
  const auto on = [&](const std::string& spec) {
    return Scenario("", test::pod("tolerations: [{operator: Exists}], " + spec), {}, &config)
        .on("gpu");
  };
  CHECK(on("containers: []") == "ok");
  CHECK(on("containers: [], nodeSelector: {pool: gpu}") == "ok");
  CHECK(on("containers: [], nodeSelector: {pool: cpu}") ==
        "node(s) didn't match Pod's node affinity/selector");
  CHECK(on("containers: [], nodeSelector: {other: x}") ==
        "node(s) didn't match Pod's node affinity/selector");
  CHECK(on("containers: [], nodeSelector: {topology.kubernetes.io/zone: z}") ==
        "? whether its nodes have the labels is not known: the pool does not tell");
  CHECK(on("containers: [{name: c, resources: {requests: {cpu: 5}}}]") == "Insufficient cpu");
  CHECK(on("containers: [{name: c, resources: {requests: {cpu: 4}}}]") == "ok");
  CHECK(Scenario("", test::pod("containers: []"), {}, &config).on("gpu") ==
        "node(s) had untolerated taint(s)");
}

TEST_CASE("a pool without allocatable has room that nobody knows") {
  const test::Parsed parsed("{nodePools: [{name: gpu, labels: {pool: gpu}}]}");
  const ClusterConfig config = read_cluster_config(parsed.root());
  CHECK(Scenario("", kPod, {}, &config).on("gpu").starts_with("? its room is not known"));
}

}  // namespace cnsched::sim
