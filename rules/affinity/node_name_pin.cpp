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
    .summary = "nodeName assigns the pod to one node and bypasses the scheduler",
    .why =
        "All replicas go to one node, even if it has no room for them, because the scheduler "
        "ignores a pod with nodeName. Taints with effect NoSchedule, cordons and spread "
        "constraints have no effect. The node's kubelet still checks resources, selectors and "
        "NoExecute taints: a pod that does not pass ends as Failed with OutOfcpu, "
        "OutOfnvidia.com/gpu or NodeAffinity, and its controller creates the next one. The kubelet "
        "does not check a resource that the node does not advertise, so a GPU pod starts there "
        "without a device.\n\n"
        "A node selector on kubernetes.io/hostname also selects one node, but leaves the checks to "
        "the scheduler.",
    .limits =
        "Pods that were read from a cluster, static pods, objects in kube-system and DaemonSets "
        "are not reported: their node is already decided. Pods and Jobs with restartPolicy Never "
        "are not reported, because they may do maintenance on that node. In serverless (Knative) "
        "mode the field is lost, which knative-dropped-field reports. Only model servers and pods "
        "that request, select or tolerate an accelerator are checked.",
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
    .admission =
        AdmissionCheck{
            .warnings = R"cel(
[text(pod.spec.?nodeName)].filter(n, n != '' && !is_placeholder(n) && request.kind.kind != 'Model' &&
  (request.kind.kind != 'Pod' || text(pod.spec.?restartPolicy) != 'Never' && list(pod.object.metadata.?ownerReferences).size() == 0) &&
  (request.kind.kind != 'InferenceService' || deployment_mode(pod.object) == 'standard') && takes_placement_advice(pod))
.map(name, "nodeName '" + name + "' bypasses the scheduler: NoSchedule taints and cordons are ignored, " +
  first_request(pod.allContainers, n, is_extended_resource(n)).map(l, l.size() == 0 ? 'and the pod fails if the node is full' :
    "the pod fails if the node is full, and starts without '" + l[0] + "' if the node does not advertise it")[0] +
  "; select nodes by their labels; for this node alone, write 'kubernetes.io/hostname: " + name + "' in nodeSelector"))cel",
        },
};

/// Whether the pod runs once, and may do maintenance on that node.
static bool runs_once(const Workload& workload) {
  const std::string_view kind = workload.object->kind;
  return (kind == "Pod" || kind == "Job") && workload.pod["restartPolicy"].text() == "Never";
}

/// Whether the pod already has its node: it was read from a cluster, is a static pod, or belongs to
/// the node itself.
static bool is_placed_already(const k8s::Object& object) {
  if (object.ns == "kube-system" || object.kind == "DaemonSet") return true;
  const yaml::Node& metadata = object["metadata"];
  return object.kind == "Pod" &&
         (metadata["uid"] || metadata["resourceVersion"] || metadata["ownerReferences"] ||
          !object["status"].is_empty() || object.annotations()["kubernetes.io/config.mirror"] ||
          object.annotations()["kubernetes.io/config.source"]);
}

static std::string_view extended_resource_of(const k8s::PodSpec& pod) {
  std::string_view resource;
  (void)pod.requests_resource([&](std::string_view name) {
    if (k8s::is_extended_resource(name)) resource = name;
    return !resource.empty();
  });
  return resource;
}

/// What the kubelet does with a pod that the node has no room for.
static std::string kubelet_outcome(const Workload& workload) {
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
  // A pod that is built on the fragment inherits or replaces its nodeName, and is checked itself.
  if (workload.fragment && report.scope().is_built_on(*workload.object)) return;
  if (!workload.is_built() || is_placed_already(*workload.object)) return;
  if (runs_once(workload)) return;
  if (!workload.takes_placement_advice()) return;
  // knative-dropped-field reports the field, which is lost in serverless mode.
  if (workload.mode.mode == kserve::DeploymentMode::unknown) return;
  const std::int64_t replicas = workload.replicas.value_or(1);
  report
      .add(name,
           "nodeName '{}' bypasses the scheduler{}: NoSchedule taints and cordons are ignored, {}",
           name.text(), replicas > 1 ? fmt::format(" for all {} replicas", replicas) : "",
           kubelet_outcome(workload))
      .help(
          "select nodes by their labels; for this node alone, write 'kubernetes.io/hostname: {}' "
          "in nodeSelector",
          name.text());
}

}  // namespace cnsched::rules
