#include "testdata/scenario.h"

namespace cnsched::sim::node_filters_test {

TEST_CASE("a pod with nodeName fits on that node only") {
  const Scenario scenario(node("a") + node("b"), pod("containers: [], nodeName: a"));
  CHECK(scenario.on("a") == "ok");
  CHECK(scenario.on("b") == "node(s) didn't match the requested node name");
  CHECK(scenario.explained("a").empty());
  CHECK(scenario.explained("b") == "nodeName is 'a'");
}

TEST_CASE("a nodeName of an unknown node rejects all nodes") {
  const Scenario scenario(node("a"), pod("containers: [], nodeName: gone"));
  CHECK(scenario.event() ==
        "0/1 nodes are available: 1 node(s) didn't match the requested node name.");
}

TEST_CASE("checks selector, ports and resources of a pod with nodeName") {
  const auto on_a = [](const std::string& spec) {
    return Scenario(node("a", "", "", "cpu: 1, pods: 2") +
                        running_pod("p", "a", "", "hostNetwork: false"),
                    pod("nodeName: a, " + spec))
        .on("a");
  };
  CHECK(on_a("containers: [], nodeSelector: {pool: p}") ==
        "node(s) didn't match Pod's node affinity/selector");
  CHECK(on_a("containers: [{name: c, resources: {requests: {cpu: 2}}}]") == "Insufficient cpu");
  // The kubelet ignores extended resources that the node does not have.
  CHECK(on_a("containers: [{name: c, resources: {limits: {x.com/gpu: 2}}}]") == "ok");
}

/// The verdict on the pod on a cordoned node with its taint.
std::string on_cordoned(const std::string& spec) {
  const std::string cordoned =
      node("a", "",
           "unschedulable: true, taints: [{key: node.kubernetes.io/unschedulable, "
           "effect: NoSchedule}]");
  return Scenario(cordoned, pod("containers: []" + spec)).on("a");
}

TEST_CASE("rejects a cordoned node before its taint is checked") {
  CHECK(on_cordoned("") == "node(s) were unschedulable");
  CHECK(on_cordoned(", tolerations: [{key: other, operator: Exists}]") ==
        "node(s) were unschedulable");
}

TEST_CASE("a pod that tolerates the taint of cordoned nodes fits on them") {
  CHECK(on_cordoned(", tolerations: [{operator: Exists}]") == "ok");
  CHECK(on_cordoned(", tolerations: [{key: node.kubernetes.io/unschedulable, operator: Exists}]") ==
        "ok");
  CHECK(on_cordoned(", tolerations: [{key: node.kubernetes.io/unschedulable, effect: "
                    "NoSchedule}]") == "ok");
  CHECK(on_cordoned(", tolerations: [{key: node.kubernetes.io/unschedulable, operator: Exists, "
                    "effect: NoExecute}]") == "node(s) were unschedulable");
}

TEST_CASE("a pod with nodeName fits on a cordoned node") {
  CHECK(on_cordoned(", nodeName: a") == "ok");
}

TEST_CASE("reads unschedulable as a YAML 1.1 boolean") {
  const auto on = [](const std::string& value) {
    return Scenario(node("a", "", "unschedulable: " + value), pod("containers: []")).on("a");
  };
  CHECK(on("false") == "ok");
  CHECK(on("yes") == "node(s) were unschedulable");
}

TEST_CASE("explains only nodes that are cordoned") {
  const Scenario scenario(node("a", "", "unschedulable: true") + node("b"), pod("containers: []"));
  CHECK(scenario.explained("a") == "is cordoned (spec.unschedulable)");
  CHECK(scenario.explained("b").empty());
}

constexpr const char* kLacking = "node(s) didn't match Pod's required features";

std::string node_with(std::string_view name, std::string_view features) {
  return fmt::format(
      "---\n{{apiVersion: v1, kind: Node, metadata: {{name: {}}}, status: {{declaredFeatures: "
      "[{}], "
      "allocatable: {{cpu: 4, memory: 8Gi, pods: 10}}}}}}\n",
      name, features);
}

const std::string kNodes = node_with("a", "RestartAllContainersOnContainerExits") +
                           node_with("b", "UserNamespacesHostNetworkSupport") + node_with("c", "");

TEST_CASE("rejects nodes whose kubelet does not declare a feature that the pod needs") {
  const Scenario restart(kNodes, pod("containers: [{name: c, restartPolicyRules: [{action: "
                                     "RestartAllContainers}]}]"));
  CHECK(restart.on("a") == "ok");
  CHECK(restart.on("b") == kLacking);
  CHECK(restart.on("c") == kLacking);
  CHECK(restart.explained("c") ==
        "the pod needs the kubelet's feature 'RestartAllContainersOnContainerExits', which "
        "status.declaredFeatures does not list");
  const Scenario users(kNodes, pod("hostNetwork: true, hostUsers: false, containers: []"));
  CHECK(users.on("a") == kLacking);
  CHECK(users.on("b") == "ok");
  for (const char* spec : {"hostNetwork: true, containers: []", "hostUsers: false, containers: []",
                           "containers: [{name: c, restartPolicyRules: [{action: Restart}]}]"}) {
    CAPTURE(spec);
    CHECK(Scenario(kNodes, pod(spec)).on("c") == "ok");
  }
}

TEST_CASE("before 1.36 the scheduler does not look at declared features") {
  std::string old = kNodes;
  const std::string info = "nodeInfo: {kubeletVersion: v1.35.2}, allocatable:";
  for (std::size_t at = 0; (at = old.find("allocatable:", at)) != std::string::npos;) {
    old.replace(at, std::string("allocatable:").size(), info);
    at += info.size();
  }
  CHECK(Scenario(old, pod("hostNetwork: true, hostUsers: false, containers: []")).on("c") == "ok");
}

constexpr const char* kPorts = "node(s) didn't have free ports for the requested pod ports";

std::string ports(const std::string& port, const std::string& more = "") {
  return "containers: [{name: c, ports: [{" + port + "}]}]" + more;
}

/// The verdict on a pod with spec `requested` where a pod with spec `taken` runs.
std::string beside(const std::string& taken, const std::string& requested) {
  std::string other = running_pod("r", "a");
  other.replace(other.find("containers: []"), 14, taken);
  return Scenario(node("a") + other, pod(requested)).on("a");
}

TEST_CASE("rejects a node where another pod uses the host port") {
  CHECK(beside(ports("hostPort: 80"), ports("hostPort: 80")) == kPorts);
  CHECK(beside(ports("hostPort: 80"), ports("hostPort: 81")) == "ok");
  CHECK(beside(ports("containerPort: 80"), ports("containerPort: 80")) == "ok");
  CHECK(beside(ports("hostPort: 0"), ports("hostPort: 0")) == "ok");
}

TEST_CASE("host ports of different protocols do not conflict") {
  CHECK(beside(ports("hostPort: 80, protocol: UDP"), ports("hostPort: 80")) == "ok");
  CHECK(beside(ports("hostPort: 80, protocol: TCP"), ports("hostPort: 80")) == kPorts);
}

TEST_CASE("host ports of different addresses conflict only if one is the wildcard") {
  CHECK(beside(ports("hostPort: 80, hostIP: 10.0.0.1"), ports("hostPort: 80, hostIP: 10.0.0.2")) ==
        "ok");
  CHECK(beside(ports("hostPort: 80, hostIP: 10.0.0.1"), ports("hostPort: 80, hostIP: 10.0.0.1")) ==
        kPorts);
  CHECK(beside(ports("hostPort: 80, hostIP: 10.0.0.1"), ports("hostPort: 80")) == kPorts);
  CHECK(beside(ports("hostPort: 80, hostIP: 0.0.0.0"), ports("hostPort: 80, hostIP: 10.0.0.1")) ==
        kPorts);
  CHECK(beside(ports("hostPort: 80, hostIP: '::'"), ports("hostPort: 80, hostIP: 10.0.0.1")) ==
        "ok");
}

TEST_CASE("with hostNetwork every container port is a host port") {
  const std::string host = ports("containerPort: 80", ", hostNetwork: true");
  CHECK(beside(host, ports("hostPort: 80")) == kPorts);
  CHECK(beside(ports("hostPort: 80"), host) == kPorts);
  CHECK(beside(ports("containerPort: 80, hostPort: 0", ", hostNetwork: true"), host) == kPorts);
}

TEST_CASE("reads ports as YAML 1.1 integers") {
  CHECK(beside(ports("hostPort: 0x50"), ports("hostPort: 80")) == kPorts);
}

TEST_CASE("counts host ports of sidecars, but not of other init containers") {
  const auto init = [](const std::string& more) {
    return "containers: [], initContainers: [{name: i, ports: [{hostPort: 80}]" + more + "}]";
  };
  CHECK(beside(init(", restartPolicy: Always"), ports("hostPort: 80")) == kPorts);
  CHECK(beside(init(""), ports("hostPort: 80")) == "ok");
}

TEST_CASE("explains which host port is in use") {
  std::string other = running_pod("r", "a");
  other.replace(other.find("containers: []"), 14, ports("hostPort: 80"));
  const Scenario scenario(node("a") + node("b") + other, pod(ports("hostPort: 80")));
  CHECK(scenario.explained("a") == "hostPort 80/TCP is in use on the node");
  CHECK(scenario.explained("b").empty());
}

TEST_CASE("host ports are free on a new node of a pool") {
  const Scenario scenario(node_pool("pool"), pod(ports("hostPort: 80")));
  Cluster cluster = scenario.cluster();
  cluster.place(scenario.pod(), 0);
  CHECK(Scenario::on("pool", Diagnosis(scenario.pod(), cluster)) == kPorts);
  cluster.replace_node(0);
  CHECK(Scenario::on("pool", Diagnosis(scenario.pod(), cluster)) != kPorts);
}

}  // namespace cnsched::sim::node_filters_test
