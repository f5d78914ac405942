#include "testdata/scenario.h"

namespace cnsched::sim::node_resources_fit_test {

constexpr const char* kNoAllocatable =
    "? free resources are unknown: the node has no status.allocatable (kubectl get nodes -o yaml "
    "prints it)";

/// The verdict on a pod with `requests` on a node with `allocatable`.
std::string on(const std::string& allocatable, const std::string& requests,
               const std::string& more = "") {
  return Scenario(node("a", "", "", allocatable) + more,
                  pod_with("resources: {requests: {" + requests + "}}"))
      .on("a");
}

TEST_CASE("a pod fits if it requests exactly what is free, and not one unit more") {
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

TEST_CASE("rounds CPU up to thousandths and other resources to whole units") {
  CHECK(on("cpu: 1m, pods: 1", "cpu: 0.1m") == "ok");
  CHECK(on("cpu: 1m, pods: 1", "cpu: 1.1m") == "Insufficient cpu");
  CHECK(on("memory: 1, pods: 1", "memory: 512m") == "ok");
  CHECK(on("memory: 1, pods: 1", "memory: 1001m") == "Insufficient memory");
}

TEST_CASE("limits amounts to 64 bits, which no node has") {
  // kube-scheduler turns the first two into 0; the pod then runs anywhere.
  CHECK(on("cpu: 1000, pods: 1", "cpu: 1E") == "Insufficient cpu");
  CHECK(on("cpu: 1000, pods: 1", "cpu: 9223372036854776") == "Insufficient cpu");
  CHECK(on("memory: 1Ti, pods: 1", "memory: 9223372036854775808") == "Insufficient memory");
  CHECK(on("memory: 9223372036854775807, pods: 1", "memory: 9223372036854775807") == "ok");
  CHECK(on("memory: 9223372036854775806, pods: 1", "memory: 9223372036854775807") ==
        "Insufficient memory");
}

TEST_CASE("ignores a request for 0") {
  CHECK(on("pods: 1", "cpu: 0, x.com/gpu: 0") == "ok");
  CHECK(on("pods: 1", "") == "ok");
}

TEST_CASE("a node has 0 of a resource that it does not list") {
  CHECK(on("cpu: 1, pods: 1", "x.com/gpu: 1") == "Insufficient x.com/gpu");
}

TEST_CASE("running pods reduce the free resources") {
  const auto running = [](const std::string& requests, const std::string& phase = "Running") {
    std::string pod = running_pod("r", "a");
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
  // A pod without requests fits on an overcommitted node.
  CHECK(on("cpu: 1, pods: 9", "memory: 0", running("cpu: 5")) == "ok");
}

TEST_CASE("limits the number of pods to the node's maximum; without it, the verdict is unknown") {
  CHECK(on("cpu: 1, pods: 1", "") == "ok");
  CHECK(on("cpu: 1, pods: 1", "", running_pod("r", "a")) == "Too many pods");
  CHECK(on("cpu: 1, pods: 0", "") == "Too many pods");
  CHECK(on("cpu: 1", "") ==
        "? free resources are unknown: status.allocatable does not list 'pods'");
  CHECK(on("cpu: 1, pods: 1", "memory: 1") ==
        "? free resources are unknown: status.allocatable does not list 'memory'");
  CHECK(on("cpu: 1", "cpu: 2") == "Insufficient cpu");
}

TEST_CASE("reports each insufficient resource as a separate reason") {
  CHECK(on("pods: 0, cpu: 0, memory: 0", "x.com/gpu: 1, memory: 1, cpu: 1") ==
        "Too many pods; Insufficient cpu; Insufficient memory; Insufficient x.com/gpu");
}

TEST_CASE("uses the capacity of a Node without allocatable; without both, the verdict is unknown") {
  const auto on_node = [](const std::string& status) {
    return Scenario("{apiVersion: v1, kind: Node, metadata: {name: a}, status: {" + status + "}}",
                    pod_with("resources: {requests: {cpu: 2}}"))
        .on("a");
  };
  CHECK(on_node("capacity: {cpu: 2, pods: 9}") == "ok");
  CHECK(on_node("capacity: {cpu: 1, pods: 9}") == "Insufficient cpu");
  CHECK(on_node("capacity: {cpu: 4, pods: 9}, allocatable: {cpu: 1, pods: 9}") ==
        "Insufficient cpu");
  CHECK(on_node("") == kNoAllocatable);
}

TEST_CASE("the verdict on a request with a placeholder is unknown") {
  CHECK(on("cpu: 1, pods: 1", "cpu: '${CPU}'") == "? the pod's request for 'cpu' is unknown");
}

TEST_CASE("explains an insufficient resource with the free and the allocatable amount") {
  std::string other = running_pod("r", "a");
  other.replace(other.find("containers: []"), 14,
                "containers: [{name: c, resources: {requests: {cpu: 1500m}}}]");
  const Scenario scenario(node("a", "", "", "cpu: 2, memory: 8Gi, pods: 1") + other,
                          pod_with("resources: {requests: {cpu: 1, memory: 16Gi, x.com/gpu: 1}}"));
  CHECK(scenario.explained("a") ==
        "the node runs 1 of at most 1 pods\n"
        "requests 1 cpu, 500m of 2 is free\n"
        "requests 16Gi memory, the node has 8Gi\n"
        "requests 1 x.com/gpu, the node has none");
}

}  // namespace cnsched::sim::node_resources_fit_test
