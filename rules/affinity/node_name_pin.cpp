#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/k8s/label.h"
#include "rules/rule.h"

namespace cnsched::rules::node_name_pin {

/// Whether the pod runs once, and may do maintenance on that node.
static bool runs_once(const Workload& workload) {
  const std::string_view kind = workload.object->kind;
  return (kind == "Pod" || kind == "Job") && workload.pod["restartPolicy"].text() == "Never";
}

/// Whether the pod already has its node: it was read from a cluster, is a static pod, or is a part
/// of the system.
static bool is_placed_already(const k8s::Object& object) {
  if (object.ns.name == "kube-system") return true;
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

static void check(const Workload& workload, Findings& findings) {
  const yaml::Node& name = workload.pod["nodeName"];
  if (name.text().empty() || k8s::is_placeholder(name.text())) return;
  if (is_placed_already(*workload.object)) return;
  if (runs_once(workload)) return;
  // knative-dropped-field reports the field, which is lost in serverless mode.
  if (workload.mode.mode == kserve::DeploymentMode::unknown) return;
  const std::int64_t replicas = workload.replicas.value_or(1);
  findings
      .add(name,
           "nodeName '{}' bypasses the scheduler{}: NoSchedule taints and cordons are ignored, {}",
           name.text(), replicas > 1 ? fmt::format(" for all {} replicas", replicas) : "",
           kubelet_outcome(workload))
      .help(
          "select nodes by their labels; for this node alone, write 'kubernetes.io/hostname: {}' "
          "in nodeSelector",
          name.text());
}

extern constinit const Rule rule = {
    .id = "node-name-pin",
    .severity = Severity::warning,
    .decided_by_subject = true,
    .of = Domain::built | Domain::placed | Domain::scheduled | Domain::unused_parts,
    .check = check,
};

}  // namespace cnsched::rules::node_name_pin
