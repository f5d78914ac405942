#include "core/sim/priority.h"
#include "testdata/scenario.h"

namespace cnsched::sim::priority_test {

std::string priority_class(const std::string& name, int value, const std::string& more = "") {
  return fmt::format(
      "---\n{{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {{name: {}}}, "
      "value: {}{}}}\n",
      name, value, more);
}

/// "100", "100 Never", "?", or why the API server rejects the pod.
std::string priority(const std::string& facts, const std::string& spec) {
  const Scenario scenario(node("a") + facts, pod(spec + "containers: []"));
  const PodPriority& of = scenario.pod().priority;
  if (!of.rejection.empty()) return of.rejection;
  if (!of.value) return "?";
  return fmt::format("{}{}", *of.value, of.never_preempts ? " Never" : "");
}

TEST_CASE("a PriorityClass gives a pod its priority") {
  const std::string classes =
      priority_class("high", 100) + priority_class("polite", 50, ", preemptionPolicy: Never");
  CHECK(priority(classes, "priorityClassName: high, ") == "100");
  CHECK(priority(classes, "priorityClassName: polite, ") == "50 Never");
  CHECK(priority(classes, "priorityClassName: system-cluster-critical, ") == "2000000000");
  CHECK(priority(classes, "") == "0");
  CHECK(priority(classes, "priority: 0, ") == "0");
}

TEST_CASE("the lowest global default is for pods without a class") {
  const std::string classes = priority_class("a", 100, ", globalDefault: true") +
                              priority_class("b", 20, ", globalDefault: true") +
                              priority_class("c", 1);
  CHECK(priority(classes, "") == "20");
}

TEST_CASE("the API server rejects a pod with another priority than that of its class") {
  const std::string classes = priority_class("high", 100);
  CHECK(priority(classes, "priorityClassName: hihg, ") ==
        "no PriorityClass with name hihg was found");
  CHECK(priority(classes, "priorityClassName: high, priority: 5, ") ==
        "the integer value of priority (5) must not be provided in pod spec; priority admission "
        "controller computed 100 from the given PriorityClass name");
  CHECK(priority(classes, "preemptionPolicy: Never, ") ==
        "the string value of PreemptionPolicy (Never) must not be provided in pod spec; priority "
        "admission controller computed PreemptLowerPriority from the given PriorityClass name");
  const Scenario scenario(node("a") + classes, pod("priorityClassName: hihg, containers: []"));
  CHECK(scenario.on("a") ==
        "the API server rejects the pod: no PriorityClass with name hihg was found");
}

TEST_CASE("the priority of a class that is not given is unknown") {
  CHECK(priority("", "priorityClassName: high, ") == "?");
  CHECK(priority("", "priorityClassName: high, priority: 7, ") == "7");
  CHECK(priority("", "") == "0");
  const Scenario scenario(node("a"), pod("priorityClassName: high, containers: []"));
  CHECK(scenario.on("a") == "ok");
  CHECK(scenario.pod().assumptions.size() == 1);
}

}  // namespace cnsched::sim::priority_test
