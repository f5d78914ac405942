#include "core/sim/simulation.h"

#include <doctest/doctest.h>

#include <string>

#include "testdata/scenario.h"

namespace cnsched::sim {

namespace {

using test::node;
using test::Scenario;

}  // namespace

TEST_CASE("every workload of the manifests is simulated, in their order") {
  const Scenario scenario(
      node("a"), test::pod("containers: []") +
                     "---\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: "
                     "{template: {spec: {containers: []}}}}\n");
  REQUIRE(scenario.simulation().workloads().size() == 2);
  CHECK(scenario.workload(0).workload->object->kind == "Pod");
  CHECK(scenario.workload(1).workload->object->kind == "Deployment");
}

TEST_CASE("workloads of facts, pods that run already and parts of pods are not") {
  const std::string deployment =
      "---\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: {template: {spec: "
      "{containers: []}}}}\n";
  CHECK(Scenario(node("a") + deployment, "").simulation().workloads().empty());
  CHECK(Scenario(node("a"), test::running("r", "a")).simulation().workloads().empty());
  CHECK(Scenario(node("a"),
                 "{apiVersion: serving.kserve.io/v1alpha1, kind: ServingRuntime, metadata: {name: "
                 "r}, spec: {containers: [{name: kserve-container}]}}")
            .simulation()
            .workloads()
            .empty());
}

TEST_CASE("workloads without any node to run on are there only if that is wanted") {
  CHECK(Scenario("", test::pod("containers: []")).simulation().workloads().size() == 1);
  CHECK_FALSE(Scenario("", test::pod("containers: []")).simulation().has_nodes());
  CHECK(Scenario("", test::pod("containers: []"), {.without_nodes = false})
            .simulation()
            .workloads()
            .empty());
  CHECK(Scenario(node("a"), test::pod("containers: []")).simulation().has_nodes());
}

TEST_CASE("pods that no filter can judge are in doubt, never fine") {
  const Scenario scenario(
      node("a"), test::pod("containers: [], volumes: [{name: v, persistentVolumeClaim: {claimName: "
                           "c}}], resourceClaims: [{name: r}], schedulerName: other"));
  CHECK(scenario.diagnosis().unknown().count() == 1);
  CHECK(scenario.diagnosis().all_reasons(0).size() == 3);
}

}  // namespace cnsched::sim
