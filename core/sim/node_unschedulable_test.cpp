#include <doctest/doctest.h>

#include <string>

#include "testdata/scenario.h"

namespace cnsched::sim {

namespace {

/// The verdict on the pod on a cordoned node with its taint.
std::string on_cordoned(const std::string& spec) {
  const std::string cordoned =
      test::node("a", "",
                 "unschedulable: true, taints: [{key: node.kubernetes.io/unschedulable, "
                 "effect: NoSchedule}]");
  return test::Scenario(cordoned, test::pod("containers: []" + spec)).on("a");
}

}  // namespace

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
    return test::Scenario(test::node("a", "", "unschedulable: " + value),
                          test::pod("containers: []"))
        .on("a");
  };
  CHECK(on("false") == "ok");
  CHECK(on("yes") == "node(s) were unschedulable");
}

TEST_CASE("explains only nodes that are cordoned") {
  const test::Scenario scenario(test::node("a", "", "unschedulable: true") + test::node("b"),
                                test::pod("containers: []"));
  CHECK(scenario.explained("a") == "is cordoned (spec.unschedulable)");
  CHECK(scenario.explained("b").empty());
}

}  // namespace cnsched::sim
