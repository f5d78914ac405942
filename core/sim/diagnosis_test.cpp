#include "core/sim/diagnosis.h"
#include "testdata/scenario.h"

namespace cnsched::sim::diagnosis_test {

/// A pod that every filter can reject.
const std::string kDemanding = test::pod(
    "nodeSelector: {pool: p}, containers: [{name: c, ports: [{hostPort: 80}], resources: "
    "{requests: "
    "{cpu: 8}}}], topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: "
    "DoNotSchedule, labelSelector: {}}], affinity: {podAffinity: "
    "{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, labelSelector: "
    "{matchLabels: {app: none}}}]}}");

std::string with_port(std::string_view name, std::string_view on) {
  std::string pod = running_pod(name, on);
  return pod.replace(pod.find("containers: []"), 14,
                     "containers: [{name: c, ports: [{hostPort: 80}]}]");
}

TEST_CASE("the first filter in kube-scheduler's order gives the reason; all are available") {
  const std::string tainted = ", taints: [{key: k, effect: NoSchedule}]";
  const Scenario scenario(node("a", "", "unschedulable: true" + tainted, "cpu: 4, pods: 1") +
                              node("b", "", tainted.substr(2), "cpu: 4, pods: 1") +
                              node("c", "", "", "cpu: 4, pods: 1") +
                              node("d", "pool: p", "", "cpu: 4, pods: 1") +
                              node("e", "pool: p", "", "cpu: 4, pods: 1") +
                              node("f", "pool: p", "", "cpu: 8, pods: 1") +
                              node("g", "pool: p, zone: z", "", "cpu: 8, pods: 1") +
                              with_port("w", "d") + with_port("v", "a"),
                          kDemanding);
  CHECK(scenario.on("a") == "node(s) were unschedulable");
  CHECK(scenario.on("b") == "node(s) had untolerated taint(s)");
  CHECK(scenario.on("c") == "node(s) didn't match Pod's node affinity/selector");
  CHECK(scenario.on("d") == "node(s) didn't have free ports for the requested pod ports");
  CHECK(scenario.on("e") == "Insufficient cpu");
  CHECK(scenario.on("f") ==
        "node(s) didn't match pod topology spread constraints (missing required label)");
  CHECK(scenario.on("g") == "node(s) didn't match pod affinity rules");
  const auto all = scenario.diagnosis().all_reasons(0);
  CHECK(all == std::vector<std::string_view>{
                   "node(s) were unschedulable", "node(s) had untolerated taint(s)",
                   "node(s) didn't match Pod's node affinity/selector",
                   "node(s) didn't have free ports for the requested pod ports", "Too many pods",
                   "Insufficient cpu",
                   "node(s) didn't match pod topology spread constraints (missing required label)",
                   "node(s) didn't match pod affinity rules"});
}

TEST_CASE("the event counts reasons and sorts them as strings with their counts") {
  std::string nodes;
  for (int i = 0; i < 10; ++i) nodes += node("t" + std::to_string(i), "", "unschedulable: true");
  nodes += node("x", "", "", "cpu: 1, pods: 9") + node("y", "", "", "cpu: 1, pods: 9");
  CHECK(Scenario(nodes, pod_with("resources: {requests: {cpu: 2}}")).event() ==
        "0/12 nodes are available: 10 node(s) were unschedulable, 2 Insufficient cpu.");
}

TEST_CASE("counts one node for each of its reasons") {
  CHECK(Scenario(node("a", "", "", "cpu: 1, pods: 0") + node("b", "", "", "cpu: 1, pods: 0"),
                 pod_with("resources: {requests: {cpu: 2}}"))
            .event() == "0/2 nodes are available: 2 Insufficient cpu, 2 Too many pods.");
}

TEST_CASE("a rejection by PreFilter appears once, without a count") {
  const std::string names =
      "{key: metadata.name, operator: In, values: [a]}, {key: metadata.name, operator: In, values: "
      "[b]}";
  const Scenario scenario(
      node("a", "", "unschedulable: true") + node("b"),
      test::pod("containers: [], affinity: {nodeAffinity: "
                "{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
                "[{matchFields: [" +
                names + "]}]}}}"));
  CHECK(scenario.event() == "0/2 nodes are available: pod affinity terms conflict.");
  CHECK(scenario.diagnosis().fits_nowhere());
}

TEST_CASE("without nodes the event has no counts") {
  CHECK(Scenario("", test::pod("containers: []")).event() == "no nodes available to schedule pods");
}

TEST_CASE("an unknown node is neither feasible nor infeasible, and a rejection takes precedence") {
  const std::string claim =
      "volumes: [{name: v, persistentVolumeClaim: {claimName: c}}], containers: []";
  const Scenario scenario(node("a") + node("b", "", "unschedulable: true"), test::pod(claim));
  CHECK(scenario.diagnosis().fits(0) == Truth::unknown);
  CHECK(scenario.diagnosis().fits(1) == Truth::no);
  CHECK(scenario.on("b") == "node(s) were unschedulable");
  CHECK_FALSE(scenario.diagnosis().fits_nowhere());
  CHECK(scenario.diagnosis().feasible().empty());
  CHECK(scenario.event() == "0/2 nodes are available: 1 node(s) were unschedulable, 1 unknown.");
}

TEST_CASE("an invalid preferred term fails the attempt if two nodes are feasible") {
  const std::string preference = test::pod(
      "containers: [], affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: "
      "[{weight: 1, preference: {matchExpressions: [{key: a, operator: Exists}]}}, {weight: 1, "
      "preference: {matchExpressions: [{key: n, operator: Gt, values: [80Gi]}]}}]}}");
  CHECK(Scenario(node("a"), preference).on("a") == "ok");
  CHECK_FALSE(Scenario(node("a"), preference).diagnosis().fits_nowhere());
  const Scenario two(node("a") + node("b"), preference);
  CHECK(two.diagnosis().fits_nowhere());
  CHECK(
      two.event() ==
      "running PreScore plugin \"NodeAffinity\": [1].matchExpressions[0].values[0]: Invalid value: "
      "\"80Gi\": for 'Gt', 'Lt' operators, the value must be an integer");
}

TEST_CASE("finds the same causes for one node as for all nodes") {
  const Scenario scenario(node("a", "", "unschedulable: true") + node("b"), kDemanding);
  const CausesByNode all = causes_on(scenario.cluster().all(), scenario.pod(), scenario.cluster());
  for (std::size_t i = 0; i < scenario.cluster().size(); ++i) {
    const auto one = causes_on(i, scenario.pod(), scenario.cluster());
    REQUIRE(all[i].size() == one.size());
    for (std::size_t j = 0; j < one.size(); ++j) CHECK(all[i][j].text == one[j].text);
  }
}

TEST_CASE("nodes with the same causes share a list, and texts are written only if wanted") {
  std::string nodes;
  for (int i = 0; i < 90; ++i) nodes += node(fmt::format("n{}", i), i % 3 == 0 ? "pool: p" : "");
  const Scenario scenario(nodes, kDemanding);
  const NodeSet all = scenario.cluster().all();
  const CausesByNode causes = causes_on(all, scenario.pod(), scenario.cluster(), false);
  CHECK(causes.list_of(0) == causes.list_of(87));
  CHECK(causes.list_of(1) == causes.list_of(89));
  CHECK(causes.list_of(0) != causes.list_of(1));
  const std::vector<Cause> of_last = causes_on(89, scenario.pod(), scenario.cluster());
  CHECK(causes.count(89) == of_last.size());
  CHECK(causes[89].front().kind == of_last.front().kind);
  CHECK(causes[89].front().text.empty());
}

TEST_CASE(
    "no filter runs for a pod with scheduling gates; its nodes are those after their removal") {
  const Scenario scenario(
      node("a") + node("b", "pool: p"),
      test::pod("nodeSelector: {pool: p}, schedulingGates: [{name: x.com/g}], containers: []"));
  CHECK(scenario.event() == "Scheduling is blocked due to non-empty scheduling gates");
  CHECK(scenario.diagnosis().summary() ==
        "1/2 nodes are available: 1 node(s) didn't match Pod's node affinity/selector");
  CHECK(scenario.on("b") == "ok");
}

TEST_CASE("distinguishes what preemption cannot resolve from what it may") {
  const Scenario scenario(node("a") + node("b", "", "", "cpu: 1, pods: 10") +
                              running_pod("w", "a", "", "resources: {requests: {cpu: 3}}"),
                          test::pod("containers: [{name: c, resources: {requests: {cpu: 2}}}]"));
  std::vector<Status> statuses;
  for (const Rejection& rejection : scenario.diagnosis().rejections()) {
    CHECK(rejection.reason == "Insufficient cpu");
    statuses.push_back(rejection.status);
  }
  CHECK(statuses == std::vector{Status::unschedulable, Status::unresolvable});
}

}  // namespace cnsched::sim::diagnosis_test
