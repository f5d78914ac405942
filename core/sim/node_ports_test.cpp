#include "testdata/scenario.h"

namespace cnsched::sim::node_ports_test {

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

}  // namespace cnsched::sim::node_ports_test
