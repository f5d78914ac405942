#include <algorithm>

#include "core/accelerators/catalogue.h"
#include "core/accelerators/resource_name.h"
#include "core/k8s/label.h"
#include "core/workspace/workload.h"
#include "rules/rule.h"

namespace cnsched::rules::preferred_only_pin {

using k8s::Requirement;
using yaml::Node;

/// Whether all nodes that the expression prefers have accelerators.
static bool names_accelerators(const Requirement& r) {
  if (!r.requires_label()) return false;
  // Less than some number may be none.
  if (r.op != "In") return r.op != "Lt" && accelerators::find_label(r.key) != nullptr;
  return !r.values.empty() && std::ranges::all_of(r.values, [&](const Node* value) {
    if (!value->is_scalar() || k8s::is_placeholder(value->text())) return false;
    return k8s::is_instance_type_label(r.key)
               ? accelerators::vendor_of_instance_type(value->text()) != nullptr
               : accelerators::indicates_accelerator(r.key, value->text());
  });
}

/// Whether the expression prefers one node; several nodes are a pool.
static bool names_node(const Requirement& r) {
  return r.op == "In" && (r.key == "kubernetes.io/hostname" || r.key == "metadata.name") &&
         r.values.size() == 1 && !k8s::is_placeholder(r.values.front()->text());
}

/// Whether something else selects the pod's nodes, or gives it a device on any node.
static bool is_placed_otherwise(const Workload& workload) {
  const k8s::PodSpec& pod = workload.pod;
  const Node& pod_affinity = pod["affinity"]["podAffinity"];
  const std::string_view scheduler = pod["schedulerName"].text();
  return workload.has_placement_constraint() || pod.requests_resource(k8s::is_extended_resource) ||
         gets_placement_from_others(workload) ||
         !pod_affinity["requiredDuringSchedulingIgnoredDuringExecution"].is_empty() ||
         (!scheduler.empty() && scheduler != "default-scheduler") || !pod.tolerations().empty() ||
         std::ranges::any_of(pod.all_containers(), accelerators::has_device_access);
}

/// KServe sets the GPUs of a multi-node predictor and creates the claims of an LLMInferenceService.
static bool may_get_devices_from_kserve(const Workload& workload) {
  return workload.component.ends_with("worker") || (*workload.written)["workerSpec"] ||
         workload.object->annotations()["serving.kserve.io/exp-dra-device-class"];
}

static void report_preference(const Requirement& r, Findings& findings) {
  const Node& key = (*r.node)["key"];
  if (names_node(r)) {
    auto finding = findings.add(
        key, "the node affinity on '{}' is only preferred: the pod may run on any other node",
        r.key);
    finding.help("to require that node, write 'kubernetes.io/hostname: {}' in nodeSelector",
                 r.values.front()->text());
  } else {
    findings
        .add(key,
             "the node affinity on '{}' is only preferred, and no container requests an "
             "accelerator: the pod may run on any node",
             r.key)
        .help(
            "request the accelerator in the limits of the container that uses it, or remove the "
            "preference if the pod needs none");
  }
}

static void check(const Workload& workload, Findings& findings) {
  if (is_placed_otherwise(workload) || may_get_devices_from_kserve(workload)) return;
  for (const k8s::NodeSelectorTerm& term : workload.pod.preferred_terms()) {
    for (const auto* requirements : {&term.expressions, &term.fields}) {
      const auto preference = std::ranges::find_if(*requirements, [](const Requirement& r) {
        return names_accelerators(r) || names_node(r);
      });
      if (preference == requirements->end()) continue;
      report_preference(*preference, findings);
      return;
    }
  }
}

extern constinit const Rule rule = {
    .id = "preferred-only-pin",
    .severity = Severity::info,
    .decided_by_subject = true,
    .of = Domain::finished | Domain::scheduled | Domain::serving,
    .check = check,
};

}  // namespace cnsched::rules::preferred_only_pin
