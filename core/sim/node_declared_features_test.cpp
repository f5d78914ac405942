#include "testdata/scenario.h"

namespace cnsched::sim::node_declared_features_test {

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

}  // namespace cnsched::sim::node_declared_features_test
