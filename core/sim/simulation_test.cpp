#include "core/sim/conclusion.h"
#include "testdata/scenario.h"

namespace cnsched::sim::simulation_test {

TEST_CASE("simulates every workload of the manifests in order") {
  const Scenario scenario(
      node("a"), test::pod("containers: []") +
                     "---\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: "
                     "{template: {spec: {containers: []}}}}\n");
  REQUIRE(scenario.simulation().workloads().size() == 2);
  CHECK(scenario.workload(0).workload->object->kind == "Pod");
  CHECK(scenario.workload(1).workload->object->kind == "Deployment");
}

TEST_CASE("does not simulate workloads of facts, running pods and parts of pods") {
  const std::string deployment =
      "---\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: {template: {spec: "
      "{containers: []}}}}\n";
  CHECK(Scenario(node("a") + deployment, "").simulation().workloads().empty());
  CHECK(Scenario(node("a"), running_pod("r", "a")).simulation().workloads().empty());
  CHECK(Scenario(node("a"),
                 "{apiVersion: serving.kserve.io/v1alpha1, kind: ServingRuntime, metadata: {name: "
                 "r}, spec: {containers: [{name: kserve-container}]}}")
            .simulation()
            .workloads()
            .empty());
}

TEST_CASE("includes workloads without any node only if requested") {
  CHECK(Scenario("", test::pod("containers: []")).simulation().workloads().size() == 1);
  CHECK_FALSE(Scenario("", test::pod("containers: []")).simulation().has_nodes());
  CHECK(Scenario("", test::pod("containers: []"), {.without_nodes = false})
            .simulation()
            .workloads()
            .empty());
  CHECK(Scenario(node("a"), test::pod("containers: []")).simulation().has_nodes());
}

TEST_CASE("a DaemonSet that matches no node has no pods") {
  const auto daemon_set = [](const std::string& spec) {
    return "{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: d}, spec: {template: {spec: {" +
           spec + "}}}}\n";
  };
  const std::string nodes = node("a", "pool: x") + node("b", "",
                                                        "taints: [{key: k, effect: "
                                                        "NoSchedule}]");
  const Scenario none(nodes, daemon_set("nodeSelector: {pool: y}, containers: []"));
  CHECK_FALSE(none.workload().diagnosis);
  CHECK(none.workload().why_no_pod() ==
        "no node matches the selector and tolerations of the DaemonSet");
  CHECK_FALSE(none.workload().workload->is_failure());
  CHECK(Scenario(nodes, daemon_set("containers: []")).on("a") == "ok");
  // Its pod on the node that matches stays Pending.
  const Scenario large(nodes, daemon_set("nodeSelector: {pool: x}, containers: [{name: c, "
                                         "resources: {requests: {cpu: 999}}}]"));
  CHECK(conclusion_on(large.workload(), nullptr, nullptr) == Conclusion::nowhere);
}

TEST_CASE("the verdict on pods that no filter supports is unknown") {
  const Scenario scenario(
      node("a"),
      test::pod("containers: [], volumes: [{name: v, persistentVolumeClaim: {claimName: "
                "c}}], resourceClaims: [{name: r, resourceClaimName: r}], schedulerName: other"));
  CHECK(scenario.diagnosis().unknown().count() == 1);
  CHECK(scenario.diagnosis().all_reasons(0).size() >= 3);
}

TEST_CASE("reports everything unknown about a workload as a reason or an assumption") {
  std::size_t unknowns = 0;
  for (const auto& folder : std::filesystem::directory_iterator(project_file("testdata/pods"))) {
    const Scenario scenario(node("a"), read_all(folder.path() / "in.yaml"));
    for (const Simulated& simulated : scenario.simulation().workloads()) {
      if (!simulated.diagnosis) continue;
      CAPTURE(folder.path().string());
      for (const auto& [what, kind, fact] : simulated.workload->unknown) {
        CAPTURE(what);
        const Pod& pod = simulated.pod;
        const auto mentions = [&](const std::string& text) { return text.find(what) == 0; };
        using Kind = k8s::Unknown::Kind;
        if (kind == Kind::named) CHECK_FALSE(pod.unknown_base.empty());
        if (kind == Kind::creation) CHECK(std::ranges::any_of(pod.creation_unknown, mentions));
        if (kind == Kind::mode) CHECK(std::ranges::any_of(pod.assumptions, mentions));
        if (kind == Kind::chosen) CHECK_FALSE(pod.assumptions.empty());
        const bool is_open = kind == Kind::named || kind == Kind::creation;
        if (is_open) CHECK(simulated.diagnosis->feasible().empty());
        ++unknowns;
      }
    }
  }
  CHECK(unknowns > 20);
}

}  // namespace cnsched::sim::simulation_test
