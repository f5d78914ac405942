#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/k8s/label.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Workload& workload, Report& report);

extern constinit const Rule affinity_node_name_pin = {
    .id = "node-name-pin",
    .severity = Severity::warning,
    .summary = "nodeName puts the pod on one node and bypasses the scheduler",
    .why =
        "All replicas go to the one node, whether or not it can take them, for the scheduler "
        "never sees a pod with nodeName: taints with effect NoSchedule, cordons and spread "
        "constraints do not count. The node's kubelet still checks room, selectors and NoExecute "
        "taints, and a pod that does not pass ends as Failed with OutOfcpu, OutOfnvidia.com/gpu "
        "or NodeAffinity, to be replaced by the next. It does not check a resource that the node "
        "does not advertise at all: there a GPU pod starts without a device.\n\n"
        "A selector on kubernetes.io/hostname names a node too, and leaves the rest to the "
        "scheduler. In serverless (Knative) mode Knative drops nodeName, which is reported by "
        "knative-dropped-field. The rule is silent on pods that a cluster or a controller has "
        "made, and on Pods and Jobs that run once (restartPolicy Never), which may be errands to "
        "that node.",
    .bad = R"(
nodeName: gpu-node-1
model:
  modelFormat: {name: onnx}
  resources:
    limits: {nvidia.com/gpu: 1}
)",
    .good = R"(
nodeSelector:
  kubernetes.io/hostname: gpu-node-1
model:
  modelFormat: {name: onnx}
  resources:
    limits: {nvidia.com/gpu: 1}
)",
    .source = "https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#nodename",
    .check = check,
};

/// Whether a pod that runs once is to do something to that node: to repair it, to look into it.
static bool is_errand(const Workload& workload) {
  const std::string_view kind = workload.object->kind;
  return (kind == "Pod" || kind == "Job") && workload.pod["restartPolicy"].text() == "Never";
}

/// Whether the manifest is that of a pod which somebody else put there: one that was read back from
/// a cluster, or one of a node's own.
static bool is_placed_already(const k8s::Object& object) {
  if (object.ns == "kube-system" || object.kind == "DaemonSet") return true;
  const yaml::Node& metadata = object["metadata"];
  return object.kind == "Pod" &&
         (metadata["uid"] || metadata["resourceVersion"] || metadata["ownerReferences"] ||
          !object["status"].is_empty() || object.annotations()["kubernetes.io/config.mirror"] ||
          object.annotations()["kubernetes.io/config.source"]);
}

static std::string_view extended_resource_of(const k8s::PodSpec& pod) {
  std::string_view asked;
  (void)pod.wants([&](std::string_view name) {
    if (k8s::is_extended_resource(name)) asked = name;
    return !asked.empty();
  });
  return asked;
}

/// What the kubelet does about a pod that does not belong there.
static std::string fate_of(const Workload& workload) {
  const std::string_view resource = extended_resource_of(workload.pod);
  if (resource.empty()) return "and the pod fails if the node is full";
  return fmt::format(
      "the pod fails if the node is full, and starts without '{}' if the node does not advertise "
      "it",
      resource);
}

static void check(const Workload& workload, Report& report) {
  const yaml::Node& name = workload.pod["nodeName"];
  if (name.text().empty() || k8s::is_placeholder(name.text())) return;
  // A pod that is built on a fragment has its nodeName, or a better one.
  if (workload.fragment && report.run().is_built_on(*workload.object)) return;
  if (!workload.never_created.empty() || is_placed_already(*workload.object)) return;
  if (is_errand(workload)) return;
  if (!workload.takes_placement_advice()) return;
  // In serverless mode the field is lost, and knative-dropped-field reports it.
  if (workload.mode.mode == kserve::DeploymentMode::unknown) return;
  const std::int64_t replicas = workload.replicas.value_or(1);
  report
      .add(name,
           "nodeName '{}' bypasses the scheduler{}: NoSchedule taints and cordons are ignored, {}",
           name.text(), replicas > 1 ? fmt::format(" for all {} replicas", replicas) : "",
           fate_of(workload))
      .help(
          "choose nodes by their labels; for this one alone, write 'kubernetes.io/hostname: {}' "
          "into nodeSelector",
          name.text());
}

}  // namespace cnsched::rules
