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
    .summary = "nodeName puts the pod on one node, past the scheduler",
    .why =
        "A pod with nodeName is never seen by the scheduler: taints with effect NoSchedule, "
        "cordoned nodes and spread constraints do not count, and all replicas go to the one node. "
        "The node's kubelet still checks room, selectors and NoExecute taints, and a pod that "
        "does not pass ends as Failed with OutOfcpu, OutOfnvidia.com/gpu or NodeAffinity, to be "
        "replaced by the next. It does not check a resource that the node does not advertise at "
        "all: there a GPU pod starts without a device. A selector on kubernetes.io/hostname names "
        "a node too, and leaves the rest to the scheduler. In serverless mode Knative drops "
        "nodeName.",
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

/// Whether the manifest is that of a pod which somebody else put there: one that was read back from
/// a cluster, or one of a node's own.
static bool is_placed_already(const k8s::Object& object) {
  if (object.ns == "kube-system" || object.kind == "DaemonSet") return true;
  const yaml::Node& metadata = object["metadata"];
  return object.kind == "Pod" &&
         (metadata["uid"] || metadata["resourceVersion"] || !object["status"].is_empty() ||
          object.annotations()["kubernetes.io/config.mirror"] ||
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
  if (resource.empty()) return "and a pod for which it has no room fails";
  return fmt::format(
      "a pod for which it has no room fails, and if it advertises no '{}' the pod starts without",
      resource);
}

static void check(const Workload& workload, Report& report) {
  const yaml::Node& name = workload.pod["nodeName"];
  if (name.scalar().empty() || k8s::is_placeholder(name.text)) return;
  // A pod that is built on a fragment has its nodeName, or a better one.
  if (workload.fragment && report.run().is_built_on(*workload.object)) return;
  if (!workload.never_created.empty() || is_placed_already(*workload.object)) return;
  if (!workload.takes_placement_advice()) return;
  // In serverless mode the field is lost, and knative-dropped-field tells it.
  if (workload.mode.mode == kserve::DeploymentMode::unknown) return;
  auto finding = report.add(name,
                            "nodeName '{}' bypasses the scheduler: taints and cordons of that node "
                            "are ignored, {}",
                            name.text, fate_of(workload));
  if (workload.replicas.value_or(1) > 1) {
    finding.note(name, "all {} replicas go to this node", *workload.replicas);
  }
  finding.help(
      "choose nodes by their labels; for this one alone, write 'kubernetes.io/hostname: {}' into "
      "nodeSelector",
      name.text);
}

}  // namespace cnsched::rules
