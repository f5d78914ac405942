#include <doctest/doctest.h>

#include <string>

#include "testdata/scenario.h"

namespace cnsched::sim {

namespace {

using test::node;
using test::Scenario;

constexpr const char* kNoRoom =
    "? its room is not known: it has no status.allocatable (kubectl get nodes -o yaml shows it)";

/// What becomes of a pod that requests that on a node that has this.
std::string on(const std::string& allocatable, const std::string& requests,
               const std::string& more = "") {
  return Scenario(node("a", "", "", allocatable) + more,
                  test::pod_with("resources: {requests: {" + requests + "}}"))
      .on("a");
}

}  // namespace

TEST_CASE("a pod fits if it asks for exactly what is there, and not for one unit more") {
  CHECK(on("cpu: 1, pods: 1", "cpu: 1") == "ok");
  CHECK(on("cpu: 1, pods: 1", "cpu: 1001m") == "Insufficient cpu");
  CHECK(on("cpu: 999m, pods: 1", "cpu: 1") == "Insufficient cpu");
  CHECK(on("memory: 1Gi, pods: 1", "memory: 1073741824") == "ok");
  CHECK(on("memory: 1Gi, pods: 1", "memory: 1073741825") == "Insufficient memory");
  CHECK(on("ephemeral-storage: 1G, pods: 1", "ephemeral-storage: 1000000001") ==
        "Insufficient ephemeral-storage");
  CHECK(on("x.com/gpu: 2, pods: 1", "x.com/gpu: 2") == "ok");
  CHECK(on("x.com/gpu: 2, pods: 1", "x.com/gpu: 3") == "Insufficient x.com/gpu");
  CHECK(on("hugepages-2Mi: 4Mi, pods: 1", "hugepages-2Mi: 6Mi") == "Insufficient hugepages-2Mi");
}

TEST_CASE("amounts are rounded up: CPU to thousandths, others to whole units") {
  CHECK(on("cpu: 1m, pods: 1", "cpu: 0.1m") == "ok");
  CHECK(on("cpu: 1m, pods: 1", "cpu: 1.1m") == "Insufficient cpu");
  CHECK(on("memory: 1, pods: 1", "memory: 512m") == "ok");
  CHECK(on("memory: 1, pods: 1", "memory: 1001m") == "Insufficient memory");
}

TEST_CASE("amounts beyond 64 bits are capped, and so too much for any honest node") {
  // kube-scheduler takes the first two for 0, and the pod then runs anywhere.
  CHECK(on("cpu: 1000, pods: 1", "cpu: 1E") == "Insufficient cpu");
  CHECK(on("cpu: 1000, pods: 1", "cpu: 9223372036854776") == "Insufficient cpu");
  CHECK(on("memory: 1Ti, pods: 1", "memory: 9223372036854775808") == "Insufficient memory");
  CHECK(on("memory: 9223372036854775807, pods: 1", "memory: 9223372036854775807") == "ok");
  CHECK(on("memory: 9223372036854775806, pods: 1", "memory: 9223372036854775807") ==
        "Insufficient memory");
}

TEST_CASE("what is asked for in zero is not asked for") {
  CHECK(on("pods: 1", "cpu: 0, x.com/gpu: 0") == "ok");
  CHECK(on("pods: 1", "") == "ok");
}

TEST_CASE("a resource that the node does not have is there in zero") {
  CHECK(on("cpu: 1, pods: 1", "x.com/gpu: 1") == "Insufficient x.com/gpu");
}

TEST_CASE("what runs on the node takes its room") {
  const auto running = [](const std::string& requests, const std::string& phase = "Running") {
    std::string pod = test::running("r", "a");
    pod.replace(pod.find("containers: []"), 14,
                "containers: [{name: c, resources: {requests: {" + requests + "}}}]");
    pod.replace(pod.find("Running"), 7, phase);
    return pod;
  };
  CHECK(on("cpu: 2, pods: 9", "cpu: 1", running("cpu: 1")) == "ok");
  CHECK(on("cpu: 2, pods: 9", "cpu: 1", running("cpu: 1001m")) == "Insufficient cpu");
  CHECK(on("cpu: 2, pods: 9", "cpu: 2", running("cpu: 1", "Succeeded")) == "ok");
  CHECK(on("cpu: 2, pods: 9", "cpu: 2", running("cpu: 1", "Failed")) == "ok");
  CHECK(on("cpu: 2, pods: 9", "cpu: 2", running("cpu: 1", "Pending")) == "Insufficient cpu");
  // A node with less than nothing left takes who asks for nothing.
  CHECK(on("cpu: 1, pods: 9", "memory: 0", running("cpu: 5")) == "ok");
}

TEST_CASE("a node takes as many pods as it says; one that does not say is described in short") {
  CHECK(on("cpu: 1, pods: 1", "") == "ok");
  CHECK(on("cpu: 1, pods: 1", "", test::running("r", "a")) == "Too many pods");
  CHECK(on("cpu: 1, pods: 0", "") == "Too many pods");
  CHECK(on("cpu: 1", "") == "? its room is not known: status.allocatable does not tell 'pods'");
  CHECK(on("cpu: 1, pods: 1", "memory: 1") ==
        "? its room is not known: status.allocatable does not tell 'memory'");
  CHECK(on("cpu: 1", "cpu: 2") == "Insufficient cpu");
}

TEST_CASE("all resources that are short are told, each as a reason of its own") {
  CHECK(on("pods: 0, cpu: 0, memory: 0", "x.com/gpu: 1, memory: 1, cpu: 1") ==
        "Too many pods; Insufficient cpu; Insufficient memory; Insufficient x.com/gpu");
}

TEST_CASE("a Node without allocatable has its capacity; without both nobody knows") {
  const auto on_node = [](const std::string& status) {
    return Scenario("{apiVersion: v1, kind: Node, metadata: {name: a}, status: {" + status + "}}",
                    test::pod_with("resources: {requests: {cpu: 2}}"))
        .on("a");
  };
  CHECK(on_node("capacity: {cpu: 2, pods: 9}") == "ok");
  CHECK(on_node("capacity: {cpu: 1, pods: 9}") == "Insufficient cpu");
  CHECK(on_node("capacity: {cpu: 4, pods: 9}, allocatable: {cpu: 1, pods: 9}") ==
        "Insufficient cpu");
  CHECK(on_node("") == kNoRoom);
}

TEST_CASE("an amount that is a placeholder is not known") {
  CHECK(on("cpu: 1, pods: 1", "cpu: '${CPU}'") == "? how much 'cpu' the pod asks for is not known");
}

TEST_CASE("what is short is told with what is free and what there is") {
  std::string other = test::running("r", "a");
  other.replace(other.find("containers: []"), 14,
                "containers: [{name: c, resources: {requests: {cpu: 1500m}}}]");
  const Scenario scenario(
      node("a", "", "", "cpu: 2, memory: 8Gi, pods: 1") + other,
      test::pod_with("resources: {requests: {cpu: 1, memory: 16Gi, x.com/gpu: 1}}"));
  CHECK(scenario.explained("a") ==
        "no room for one more pod (1 run, 1 may)\n"
        "asks for 1 cpu, 500m of 2 is free\n"
        "asks for 16Gi memory, the node has 8Gi\n"
        "asks for 1 x.com/gpu, the node has none");
}

}  // namespace cnsched::sim
