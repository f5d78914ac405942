#include "testdata/scenario.h"

namespace cnsched::sim::node_name_test {

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

}  // namespace cnsched::sim::node_name_test
