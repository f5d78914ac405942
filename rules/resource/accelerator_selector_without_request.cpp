#include <algorithm>

#include "core/accelerators/catalogue.h"
#include "core/accelerators/device_access.h"
#include "core/accelerators/resource_name.h"
#include "core/workloads/patch.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Workload& workload, Report& report);

extern constinit const Rule resource_accelerator_selector_without_request = {
    .id = "accelerator-selector-without-request",
    .severity = Severity::warning,
    .summary = "a pod pinned to accelerator nodes that asks for no accelerator",
    .why =
        "The pod takes room on an expensive node and gets no device: the device plugin hands "
        "devices only to containers that ask for them. Admission (ExtendedResourceToleration) "
        "adds no toleration either, so on tainted nodes the pod stays Pending, and where it "
        "does run the autoscaler cannot remove the node.",
    .bad = R"(
nodeSelector:
  cloud.google.com/gke-accelerator: nvidia-l4
model:
  modelFormat: {name: sklearn}
)",
    .good = R"(
nodeSelector:
  cloud.google.com/gke-accelerator: nvidia-l4
model:
  modelFormat: {name: sklearn}
  resources:
    limits: {nvidia.com/gpu: 1}
)",
    .source = "https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/",
    .check = check,
};

using yaml::Node;

/// Whether the expression holds only on nodes with an accelerator.
static bool demands_accelerator(const k8s::Requirement& r) {
  if (!r.asks_for_label() || r.op == "Lt") return false;
  if (r.op != "In") return accelerators::tells_accelerator(r.key, "");
  return !r.values.empty() && std::ranges::all_of(r.values, [&](const Node* value) {
    return accelerators::tells_accelerator(r.key, value->text());
  });
}

/// The label key that pins the pod to accelerator nodes, or null: one of the selector, or one of an
/// expression in every one of the required terms (they are ORed).
static const Node* pin_of(const k8s::PodSpec& pod) {
  for (const k8s::Label& label : pod.node_selector()) {
    if (accelerators::tells_accelerator(label.key, label.value)) return label.node->key();
  }
  const Node* pin = nullptr;
  for (const k8s::NodeSelectorTerm& term : pod.required_terms()) {
    const auto found = std::ranges::find_if(term.expressions, demands_accelerator);
    if (found == term.expressions.end()) return nullptr;
    if (pin == nullptr) pin = &(*found->node)["key"];
  }
  return pin;
}

/// Containers that see devices without asking the device plugin.
static bool reaches_devices_otherwise(const k8s::PodSpec& pod) {
  if (!pod["runtimeClassName"].text().empty() || !pod["resourceClaims"].is_empty()) return true;
  return std::ranges::any_of(pod.all_containers(), accelerators::sees_devices_unasked);
}

static void check(const Workload& workload, Report& report) {
  if (workload.fragment || workload.is_incomplete()) return;
  if (is_patch(workload, report.run())) return;
  const std::string_view kind = workload.object->kind;
  if (kind == "DaemonSet") return;  // monitors and agents of those nodes
  // KServe itself counts out the GPUs of a multi-node predictor.
  const bool worker = kind == "InferenceService" && workload.component == "worker";
  if (worker || (*workload.written)["workerSpec"]) return;
  // It also makes the claims of an LLMInferenceService with this annotation.
  if (workload.object->annotations()["serving.kserve.io/exp-dra-device-class"]) return;
  if (workload.pod.wants(k8s::is_extended_resource) || reaches_devices_otherwise(workload.pod))
    return;
  // By a wrong name, or in a wrong place: that is the mistake.
  if (accelerators::asks_in_vain(workload.own) || accelerators::asks_in_vain(workload.pod)) return;
  const Node* pin = pin_of(workload.pod);
  if (pin == nullptr) return;
  report
      .add(*pin,
           "'{}' pins the pod to nodes with accelerators, but no container asks for one, so the "
           "pod gets none",
           pin->text())
      .help(
          "add the accelerator to the limits of the container that uses it, or remove the "
          "selector from a pod that needs none");
}

}  // namespace cnsched::rules
