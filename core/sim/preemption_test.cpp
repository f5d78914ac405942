#include "core/sim/conclusion.h"
#include "testdata/scenario.h"

namespace cnsched::sim::preemption_test {

const std::string kClasses =
    "---\n{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: "
    "100}\n"
    "---\n{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: polite}, value: "
    "100, preemptionPolicy: Never}\n";

/// A running pod that requests CPUs.
std::string busy(const std::string& name, const std::string& on, int cpu, int priority,
                 const std::string& labels = "", const std::string& more = "") {
  return running_pod(
      name, on, labels,
      fmt::format("priority: {}, resources: {{requests: {{cpu: {}}}}}{}", priority, cpu, more));
}

/// A pod that requests CPUs.
std::string wanting(int cpu, const std::string& more = "priorityClassName: high") {
  return test::pod(
      fmt::format("containers: [{{name: c, resources: {{requests: {{cpu: {}}}}}}}]{}{}", cpu,
                  more.empty() ? "" : ", ", more));
}

std::string budget(const std::string& selector, const std::string& status) {
  return "---\n{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b, namespace: "
         "ml}, spec: {selector: " +
         selector + "}, status: {" + status + "}}\n";
}

/// "a: w1 w2", or the message.
std::string preempted(const Scenario& scenario) {
  const Preemption& preemption = scenario.workload().preemption;
  if (!preemption.node) return preemption.message;
  std::string text = std::string(scenario.cluster().node(*preemption.node).name) + ":";
  for (const Victim& victim : preemption.victims) {
    text += fmt::format(" {}{}", victim.name, victim.violated.empty() ? "" : "!");
  }
  return text;
}

std::string preempted(const std::string& facts, const std::string& pod) {
  return preempted(Scenario(kClasses + facts, pod));
}

TEST_CASE("evicts the pods without which the pod fits, but no others") {
  const std::string pods = busy("w1", "a", 2, 0) + busy("w2", "a", 2, 10);
  CHECK(preempted(node("a") + pods, wanting(2)) == "a: w1");
  CHECK(preempted(node("a") + pods, wanting(3)) == "a: w2 w1");
  const Scenario scenario(kClasses + node("a") + pods, wanting(2));
  CHECK(scenario.workload().preempts());
  CHECK(conclusion_on(scenario.workload(), nullptr, nullptr) == Conclusion::preempts);
  CHECK(scenario.on("a") == "Insufficient cpu");
  CHECK(scenario.workload().event() == "0/1 nodes are available: 1 Insufficient cpu.");
  CHECK(scenario.cluster().resource("cpu")->on(0).free() == 0);
}

TEST_CASE("says why preemption does not help") {
  CHECK(preempted(node("a") + busy("w1", "a", 4, 100), wanting(2)) ==
        "no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims "
        "found for incoming pod.");
  CHECK(preempted(node("a") + busy("w1", "a", 4, 0), wanting(5)) ==
        "no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not "
        "helpful for scheduling.");
  CHECK(preempted(node("a") + busy("w1", "a", 2, 0) + busy("w2", "a", 2, 100), wanting(3)) ==
        "no new claims to deallocate, preemption: 0/1 nodes are available: 1 Insufficient cpu.");
  CHECK(preempted(
            node("a") + node("b", "", "", "cpu: 1, memory: 1Gi, pods: 1") + busy("w1", "a", 4, 100),
            wanting(2)) ==
        "no new claims to deallocate, preemption: 0/2 nodes are available: 1 No preemption victims "
        "found for incoming pod, 1 Preemption is not helpful for scheduling.");
  CHECK(preempted(node("a") + busy("w1", "a", 4, 0), wanting(2, "priorityClassName: polite")) ==
        "no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never.");
}

TEST_CASE("a pod that fits, or whose verdict is unknown, preempts nothing") {
  CHECK(preempted(node("a"), wanting(2)).empty());
  CHECK(preempted(node("a") + busy("w1", "a", 4, 0) + node_pool("pool"), wanting(2)).empty());
  CHECK(preempted(node("a") + busy("w1", "a", 4, 0),
                  wanting(2, "priorityClassName: high, schedulerName: other"))
            .empty());
  CHECK(preempted(node("a") + busy("w1", "a", 4, 0),
                  wanting(2, "priorityClassName: high, nodeName: a"))
            .empty());
}

TEST_CASE("ignores running pods where temporary state is ignored") {
  const Scenario scenario(kClasses + node("a") + busy("w1", "a", 4, 0), wanting(2),
                          {.view = Cluster::View::lasting});
  CHECK(scenario.on("a") == "ok");
  CHECK_FALSE(scenario.workload().preempts());
}

TEST_CASE("the scheduler leaves room for nominated pods of the same or a higher priority") {
  const auto nominated = [&](int priority) {
    return fmt::format(
        "---\n{{apiVersion: v1, kind: Pod, metadata: {{name: n, namespace: ml}}, spec: {{priority: "
        "{}, containers: [], resources: {{requests: {{cpu: 4}}}}}}, status: {{nominatedNodeName: "
        "a}}}}\n",
        priority);
  };
  const auto on_a = [&](const std::string& facts) {
    return Scenario(kClasses + node("a") + facts, wanting(2)).on("a");
  };
  CHECK(on_a(nominated(100)) == "Insufficient cpu");
  CHECK(on_a(nominated(99)) == "ok");
  CHECK(preempted(node("a") + nominated(100) + busy("w1", "a", 1, 0), wanting(2)) ==
        "no new claims to deallocate, preemption: 0/1 nodes are available: 1 Insufficient cpu.");
}

TEST_CASE("without the PriorityClass, it is unknown whether the pod preempts") {
  const std::string facts = node("a") + busy("w1", "a", 4, 0);
  CHECK(preempted(Scenario(facts, wanting(2))).empty());
  CHECK(preempted(Scenario(facts, wanting(2, "priorityClassName: system-node-critical"))) ==
        "a: w1");
  CHECK(preempted(Scenario(facts, wanting(2, "priority: 7"))) == "a: w1");
}

TEST_CASE("a plugin that rejects the pod as a whole leaves no state for DynamicResources") {
  const std::string pod = wanting(
      2,
      "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
      "{nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [a]}, {key: "
      "metadata.name, operator: In, values: [b]}]}]}}}");
  const Scenario scenario(node("a"), pod);
  CHECK(scenario.workload().event() ==
        "0/1 nodes are available: pod affinity terms conflict. not found");
}

TEST_CASE("prefers nodes without violated budgets, then low priorities, then few and late pods") {
  const std::string two = node("a") + node("b");
  CHECK(preempted(two + busy("w1", "a", 4, 5) + busy("w2", "b", 4, 1), wanting(4)) == "b: w2");
  CHECK(preempted(two + busy("w1", "a", 4, 5, "app: x") + busy("w2", "b", 4, 9) +
                      budget("{matchLabels: {app: x}}", "disruptionsAllowed: 0"),
                  wanting(4)) == "b: w2");
  CHECK(preempted(two + busy("w1", "a", 2, 5) + busy("w2", "a", 2, 5) + busy("w3", "b", 4, 5),
                  wanting(4)) == "b: w3");
  const auto started = [&](const std::string& name, const std::string& on,
                           const std::string& time) {
    std::string pod = busy(name, on, 4, 0);
    return pod.replace(pod.find("phase:"), 0, "startTime: '" + time + "', ");
  };
  CHECK(preempted(two + started("w1", "a", "2026-01-01T00:00:00Z") +
                      started("w2", "b", "2026-01-02T00:00:00Z"),
                  wanting(4)) == "b: w2");
}

TEST_CASE("pods whose eviction violates a budget are kept if possible") {
  const std::string pods =
      node("a") + busy("w1", "a", 2, 1, "app: x") + busy("w2", "a", 2, 1, "app: y");
  const auto with = [&](const std::string& selector, const std::string& status) {
    return preempted(pods + budget(selector, status), wanting(2));
  };
  CHECK(with("{matchLabels: {app: x}}", "disruptionsAllowed: 0") == "a: w2");
  CHECK(with("{matchLabels: {app: y}}", "disruptionsAllowed: 0") == "a: w1");
  // Nothing violates a budget that selects nothing.
  CHECK(with("{}", "disruptionsAllowed: 0") == "a: w1");
  CHECK(with("{matchLabels: {app: y}}", "disruptionsAllowed: 1") == "a: w1");
  CHECK(with("{matchLabels: {app: y}}",
             "disruptionsAllowed: 0, disruptedPods: {w2: '2026-01-01T00:00:00Z'}") == "a: w1");
  CHECK(preempted(pods + budget("{matchExpressions: [{key: app, operator: Exists}]}",
                                "disruptionsAllowed: 1"),
                  wanting(4)) == "a: w2 w1!");
}

TEST_CASE("evicts the pods that block a port, anti-affinity or a spread constraint") {
  CHECK(preempted(node("a") + running_pod("w1", "a", "",
                                          "priority: 0, hostNetwork: true, "
                                          "initContainers: [{restartPolicy: "
                                          "Always, ports: [{containerPort: 80}]}]"),
                  test::pod("priorityClassName: high, containers: [{name: c, ports: [{hostPort: "
                            "80}]}]")) == "a: w1");
  const std::string zones = node("a1", "zone: a") + node("a2", "zone: a") + node("b", "zone: b");
  const std::string apart =
      "priorityClassName: high, affinity: {podAntiAffinity: "
      "{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, labelSelector: "
      "{matchLabels: {app: x}}}]}}";
  CHECK(preempted(zones + busy("w1", "a1", 1, 0, "app: x") + busy("w2", "b", 1, 100, "app: x"),
                  wanting(1, apart)) == "a1: w1");
  CHECK(preempted(zones + busy("w1", "a1", 1, 0, "app: x") + busy("w2", "a2", 1, 0, "app: x") +
                      busy("w3", "b", 1, 100, "app: x"),
                  wanting(1, apart)) ==
        "no new claims to deallocate, preemption: 0/3 nodes are available: 1 No preemption victims "
        "found for incoming pod, 2 node(s) didn't match pod anti-affinity rules.");
  const std::string spread =
      "priorityClassName: high, topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, "
      "whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: x}}}]";
  std::string pod = wanting(1, spread);
  pod.replace(pod.find("labels: {}"), std::string("labels: {}").size(), "labels: {app: x}");
  CHECK(preempted(zones + busy("w1", "a1", 1, 0, "app: x") + busy("w2", "b", 4, 100), pod) ==
        "a1: w1");
}

TEST_CASE("a port is free as soon as one of its users is evicted") {
  const auto user = [](const std::string& name, int priority) {
    return running_pod(name, "a", "",
                       fmt::format("priority: {}, hostNetwork: true, initContainers: "
                                   "[{{restartPolicy: Always, ports: [{{containerPort: 80}}]}}]",
                                   priority));
  };
  const std::string pod =
      test::pod("priorityClassName: high, containers: [{name: c, ports: [{hostPort: 80}]}]");
  CHECK(preempted(node("a") + user("w1", 100) + user("w2", 0), pod) == "a: w2");
  CHECK(preempted(node("a") + user("w1", 100), pod).ends_with("victims found for incoming pod."));
}

TEST_CASE("the nominated node is filtered before the names of nodes that the pod requires") {
  std::string pod = test::pod(
      "containers: [], affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
      "{nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [a]}]}]}}}");
  pod.replace(pod.rfind('}'), 1, ", status: {nominatedNodeName: b}}");
  const std::string full = node("a", "", "", "cpu: 1, memory: 1Gi, pods: 0") + node("c");
  CHECK(Scenario(full + node("b"), pod).event() ==
        "0/3 nodes are available: 1 Too many pods, 1 node(s) didn't match Pod's node "
        "affinity/selector, 1 node(s) didn't satisfy plugin(s) [NodeAffinity].");
  CHECK(Scenario(full + node("b", "", "taints: [{key: k, effect: NoSchedule}]"), pod).event() ==
        "0/3 nodes are available: 1 Too many pods, 1 node(s) didn't satisfy plugin(s) "
        "[NodeAffinity TaintToleration], 1 node(s) had untolerated taint(s).");
}

TEST_CASE("waits for pods that were evicted for it before") {
  std::string ending = running_pod("w1", "a", "", "priority: 0, resources: {requests: {cpu: 4}}",
                                   "ml", "deletionTimestamp: '2026-01-01T00:00:00Z'");
  ending.replace(ending.find("phase:"), 0,
                 "conditions: [{type: DisruptionTarget, status: 'True', reason: "
                 "PreemptionByScheduler}], ");
  std::string pod = wanting(2);
  pod.replace(pod.rfind('}'), 1, ", status: {nominatedNodeName: a}}");
  CHECK(preempted(node("a") + ending, pod) ==
        "no new claims to deallocate, preemption: not eligible due to a terminating pod on the "
        "nominated node.");
}

TEST_CASE("nodes take the steps of the dry run together") {
  std::string facts;
  for (int i = 0; i < 300; ++i) {
    const std::string name = fmt::format("n{}", i);
    facts += node(name) + busy("w" + name, name, 2, i == 50 ? 1 : 5) + busy("x" + name, name, 2, 9);
  }
  const Scenario scenario(kClasses + facts, wanting(1));
  CHECK(preempted(scenario) == "n50: wn50");
  CHECK(scenario.workload().preemption.is_sampled);
  const ResourceColumn& cpu = *scenario.cluster().resource("cpu");
  CHECK(std::ranges::all_of(cpu.amounts(), [](const auto& on) { return on.free() == 0; }));
}

}  // namespace cnsched::sim::preemption_test
