#include "testdata/scenario.h"

namespace cnsched::sim::taint_toleration_test {

constexpr const char* kTaint = "node(s) had untolerated taint(s)";

std::string taint(const std::string& effect, const std::string& value = "v") {
  return "taints: [{key: k, value: '" + value + "', effect: " + effect + "}]";
}

/// The verdict on a pod with that toleration on a node with that taint.
std::string on(const std::string& taint, const std::string& toleration,
               const std::string& more = "") {
  const std::string tolerations = toleration.empty() ? "" : ", tolerations: [" + toleration + "]";
  return Scenario(node("a", "", taint), pod("containers: []" + tolerations + more)).on("a");
}

TEST_CASE("untolerated NoSchedule and NoExecute taints reject a pod, PreferNoSchedule does not") {
  CHECK(on(taint("NoSchedule"), "") == kTaint);
  CHECK(on(taint("NoExecute"), "") == kTaint);
  CHECK(on(taint("PreferNoSchedule"), "") == "ok");
}

TEST_CASE("requires a toleration to match key, value and effect if they are set") {
  const std::string no_schedule = taint("NoSchedule");
  CHECK(on(no_schedule, "{key: k, operator: Equal, value: v, effect: NoSchedule}") == "ok");
  CHECK(on(no_schedule, "{key: k, value: v}") == "ok");
  CHECK(on(no_schedule, "{key: k, operator: '', value: v}") == "ok");
  CHECK(on(no_schedule, "{key: k}") == kTaint);
  CHECK(on(taint("NoSchedule", ""), "{key: k}") == "ok");
  CHECK(on(no_schedule, "{key: k, value: V}") == kTaint);
  CHECK(on(no_schedule, "{key: K, operator: Exists}") == kTaint);
  CHECK(on(no_schedule, "{key: k, operator: Exists}") == "ok");
  CHECK(on(no_schedule, "{operator: Exists}") == "ok");
  CHECK(on(no_schedule, "{operator: Exists, effect: NoExecute}") == kTaint);
  CHECK(on(no_schedule, "{key: k, operator: Exists, effect: NoSchedule}") == "ok");
  CHECK(on(no_schedule, "{key: k, operator: exists}") == kTaint);
  CHECK(on(taint("NoExecute"), "{key: k, operator: Exists, effect: NoSchedule}") == kTaint);
  CHECK(on(taint("NoExecute"), "{key: k, value: v, effect: NoExecute, tolerationSeconds: 0}") ==
        "ok");
  CHECK(on(taint("NoSchedule", "5"), "{key: k, operator: Gt, value: '3'}") == kTaint);
}

TEST_CASE("requires a pod to tolerate every taint") {
  const std::string two = "taints: [{key: k, effect: NoSchedule}, {key: l, effect: NoExecute}]";
  CHECK(on(two, "{key: k, operator: Exists}") == kTaint);
  CHECK(on(two, "{key: k, operator: Exists}, {key: l, operator: Exists}") == "ok");
}

TEST_CASE("every pod tolerates failing nodes by default") {
  const auto not_ready = [](const std::string& effect) {
    return "taints: [{key: node.kubernetes.io/not-ready, effect: " + effect + "}]";
  };
  CHECK(on(not_ready("NoExecute"), "") == "ok");
  CHECK(on(not_ready("NoSchedule"), "") == kTaint);
  CHECK(on("taints: [{key: node.kubernetes.io/unreachable, effect: NoExecute}]", "") == "ok");
  // Admission adds no default toleration if the pod has one with that key, whatever its operator.
  CHECK(on(not_ready("NoExecute"),
           "{key: node.kubernetes.io/not-ready, value: x, effect: NoExecute}") == kTaint);
  CHECK(on(not_ready("NoExecute"),
           "{key: node.kubernetes.io/not-ready, value: x, effect: NoSchedule}") == "ok");
}

TEST_CASE("only NoExecute taints reject a pod with nodeName") {
  CHECK(on(taint("NoSchedule"), "", ", nodeName: a") == "ok");
  CHECK(on(taint("NoExecute"), "", ", nodeName: a") == kTaint);
}

TEST_CASE("pods of DaemonSets tolerate the taints of node conditions") {
  const auto on_node = [](const std::string& key, const std::string& effect,
                          const std::string& spec = "") {
    const std::string daemon_set =
        "{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: d}, spec: {template: {spec: "
        "{containers: []" +
        spec + "}}}}";
    // Without a node that it matches, the DaemonSet has no pod.
    const std::string nodes =
        node("a", "", "taints: [{key: " + key + ", effect: " + effect + "}]") + node("b");
    return Scenario(nodes, daemon_set).on("a");
  };
  for (const std::string key :
       {"disk-pressure", "memory-pressure", "pid-pressure", "unschedulable"}) {
    CAPTURE(key);
    CHECK(on_node("node.kubernetes.io/" + key, "NoSchedule") == "ok");
    CHECK(on_node("node.kubernetes.io/" + key, "NoExecute") == kTaint);
  }
  for (const std::string key : {"not-ready", "unreachable"}) {
    CAPTURE(key);
    CHECK(on_node("node.kubernetes.io/" + key, "NoExecute") == "ok");
    CHECK(on_node("node.kubernetes.io/" + key, "NoSchedule") == kTaint);
  }
  const std::string network = "node.kubernetes.io/network-unavailable";
  CHECK(on_node(network, "NoSchedule") == kTaint);
  CHECK(on_node(network, "NoSchedule", ", hostNetwork: true") == "ok");
  CHECK(on_node("nvidia.com/gpu", "NoSchedule") == kTaint);
}

TEST_CASE("ExtendedResourceToleration tolerates taints with the name of a requested resource") {
  const auto on_node = [](const std::string& taint, const std::string& container,
                          std::optional<bool> runs) {
    return Scenario(node("a", "", "taints: [{" + taint + "}]", "cpu: 1, pods: 9, x.com/gpu: 4"),
                    pod_with(container), {.extended_resource_toleration = runs})
        .on("a");
  };
  const std::string gpu = "key: x.com/gpu, value: present, effect: NoSchedule";
  const std::string request = "resources: {limits: {x.com/gpu: 1}}";
  CHECK(on_node(gpu, request, true) == "ok");
  CHECK(on_node(gpu, request, false) == kTaint);
  CHECK(on_node(gpu, request, std::nullopt) ==
        "? unknown whether the admission plugin ExtendedResourceToleration adds the toleration");
  CHECK(on_node(gpu, "resources: {limits: {x.com/gpu: 0}}", true) == "ok");
  CHECK(on_node(gpu, "resources: {limits: {cpu: 1}}", true) == kTaint);
  CHECK(on_node("key: x.com/gpu, effect: NoExecute", request, true) == kTaint);
  CHECK(on_node("key: sku, value: gpu, effect: NoSchedule", request, true) == kTaint);
  CHECK(on_node("key: sku, value: gpu, effect: NoSchedule", request, std::nullopt) == kTaint);
}

TEST_CASE("the platform of the nodes decides whether ExtendedResourceToleration is on") {
  const std::string gpu = "taints: [{key: x.com/gpu, effect: NoSchedule}]";
  const std::string request = pod_with("resources: {limits: {x.com/gpu: 1}}");
  const std::string room = "pods: 9, x.com/gpu: 4";
  CHECK(Scenario(node("a", "cloud.google.com/gke-nodepool: p", gpu, room), request).on("a") ==
        "ok");
  CHECK(Scenario(node("a", "cloud.google.com/gke-nodepool: p", gpu, room), request,
                 {.extended_resource_toleration = false})
            .on("a") == kTaint);
  CHECK(Scenario(node("a", "pool: p", gpu, room), request).on("a").starts_with("? "));
}

TEST_CASE("explains each untolerated taint, and whether a toleration is unknown") {
  const Scenario scenario(
      node("a", "",
           "taints: [{key: k, value: v, effect: NoSchedule}, {key: x.com/gpu, effect: "
           "NoSchedule}, {key: soft, effect: PreferNoSchedule}]",
           "pods: 9, x.com/gpu: 4"),
      pod_with("resources: {limits: {x.com/gpu: 1}}"));
  CHECK(scenario.explained("a") ==
        "taint 'k=v:NoSchedule' is not tolerated\n"
        "taint 'x.com/gpu:NoSchedule' is not tolerated; unknown whether the "
        "admission plugin ExtendedResourceToleration adds the toleration");
}

}  // namespace cnsched::sim::taint_toleration_test
