#include <algorithm>

#include "core/accelerators/catalogue.h"
#include "core/accelerators/device_access.h"
#include "core/k8s/label.h"
#include "core/k8s/node_label.h"
#include "core/workloads/injected_placement.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Workload& workload, Report& report);

extern constinit const Rule affinity_preferred_only_pin = {
    .id = "preferred-only-pin",
    .severity = Severity::info,
    .summary = "nothing but a preference puts the pod on accelerators, or on its node",
    .why =
        "If the preferred nodes are full, tainted or not there yet, the pod runs on any other "
        "node, and nothing says so: a preferred node affinity is one score among several. For "
        "zones, spot nodes or a newer card that is what one wants.\n\n"
        "The rule reports a preference for accelerators where no container asks for one, and a "
        "preference for one node, if nothing else puts the pod there: no selector, no required "
        "affinity, no extended resource, no claim. Pods that tolerate taints are reported by "
        "toleration-without-selector.",
    .bad = R"(
affinity:
  nodeAffinity:
    preferredDuringSchedulingIgnoredDuringExecution:
    - weight: 100
      preference:
        matchExpressions:
        - {key: nvidia.com/gpu.product, operator: In, values: [NVIDIA-L4]}
model:
  modelFormat: {name: onnx}
)",
    .good = R"(
affinity:
  nodeAffinity:
    preferredDuringSchedulingIgnoredDuringExecution:
    - weight: 100
      preference:
        matchExpressions:
        - {key: nvidia.com/gpu.product, operator: In, values: [NVIDIA-L4]}
model:
  modelFormat: {name: onnx}
  resources:
    limits: {nvidia.com/gpu: 1}
)",
    .source =
        "https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#node-affinity",
    .check = check,
};

using k8s::Requirement;
using yaml::Node;

/// Whether all nodes that the expression prefers have accelerators.
static bool names_accelerators(const Requirement& r) {
  if (!r.asks_for_label()) return false;
  // Fewer of them may be none.
  if (r.op != "In") return r.op != "Lt" && accelerators::find_label(r.key) != nullptr;
  return !r.values.empty() && std::ranges::all_of(r.values, [&](const Node* value) {
    if (!value->is_scalar() || k8s::is_placeholder(value->text())) return false;
    return k8s::is_instance_type_label(r.key)
               ? accelerators::vendor_of_instance_type(value->text()) != nullptr
               : accelerators::tells_accelerator(r.key, value->text());
  });
}

/// Whether a single node is preferred; several are a pool.
static bool names_node(const Requirement& r) {
  return r.op == "In" && (r.key == "kubernetes.io/hostname" || r.key == "metadata.name") &&
         r.values.size() == 1 && !k8s::is_placeholder(r.values.front()->text());
}

/// Whether something else puts the pod on its nodes, or gives it a device wherever it is.
static bool is_placed_otherwise(const Workload& workload) {
  const k8s::PodSpec& pod = workload.pod;
  const Node& beside_pods = pod["affinity"]["podAffinity"];
  const std::string_view scheduler = pod["schedulerName"].text();
  return workload.is_led_somewhere() || pod.wants(k8s::is_extended_resource) ||
         gets_placement_from_others(workload) ||
         !beside_pods["requiredDuringSchedulingIgnoredDuringExecution"].is_empty() ||
         (!scheduler.empty() && scheduler != "default-scheduler") || !pod.tolerations().empty() ||
         std::ranges::any_of(pod.all_containers(), accelerators::reaches_device);
}

/// KServe counts out the GPUs of a multi-node predictor, and makes an LLMInferenceService's claims.
static bool may_get_devices_from_kserve(const Workload& workload) {
  return workload.component.ends_with("worker") || (*workload.written)["workerSpec"] ||
         workload.object->annotations()["serving.kserve.io/exp-dra-device-class"];
}

static void report_preference(const Requirement& r, Report& report) {
  const Node& key = (*r.node)["key"];
  if (names_node(r)) {
    auto finding = report.add(
        key, "only a preference for '{}' puts the pod on its node: it may run on any other", r.key);
    finding.help("if it has to be that node, write 'kubernetes.io/hostname: {}' in nodeSelector",
                 r.values.front()->text());
  } else {
    report
        .add(key,
             "only a preference for '{}' puts the pod on a node with an accelerator: no container "
             "asks for one, so it may run on any node",
             r.key)
        .help(
            "ask for the accelerator in the limits of the container that uses it, or remove the "
            "preference from a pod that needs none");
  }
}

static void check(const Workload& workload, Report& report) {
  if (workload.fragment || workload.is_incomplete() || workload.object->kind == "DaemonSet") return;
  if (!workload.is_serving() || !workload.never_created.empty()) return;
  if (is_placed_otherwise(workload) || may_get_devices_from_kserve(workload)) return;
  for (const k8s::NodeSelectorTerm& term : workload.pod.preferred_terms()) {
    for (const auto* requirements : {&term.expressions, &term.fields}) {
      const auto leading = std::ranges::find_if(*requirements, [](const Requirement& r) {
        return names_accelerators(r) || names_node(r);
      });
      if (leading == requirements->end()) continue;
      report_preference(*leading, report);
      return;
    }
  }
}

}  // namespace cnsched::rules
