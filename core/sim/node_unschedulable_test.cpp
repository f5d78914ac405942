#include "testdata/scenario.h"

namespace cnsched::sim::node_unschedulable_test {

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

}  // namespace cnsched::sim::node_unschedulable_test
