#include <algorithm>

#include "core/accelerators/catalogue.h"
#include "core/accelerators/resource_name.h"
#include "rules/rule.h"

namespace cnsched::rules::accelerator_selector_without_request {

using yaml::Node;

/// Whether only nodes with an accelerator match the expression.
static bool demands_accelerator(const k8s::Requirement& r) {
  if (!r.requires_label() || r.op == "Lt") return false;
  if (r.op != "In") return accelerators::indicates_accelerator(r.key, "");
  return !r.values.empty() && std::ranges::all_of(r.values, [&](const Node* value) {
    return accelerators::indicates_accelerator(r.key, value->text());
  });
}

/// The label key that pins the pod to accelerator nodes, or null: a key of the selector, or a key
/// of an expression if each of the required terms, which are ORed, has such an expression.
static const Node* pin_of(const k8s::PodSpec& pod) {
  for (const k8s::Label& label : pod.node_selector()) {
    if (accelerators::indicates_accelerator(label.key, label.value)) return label.node->key();
  }
  const Node* pin = nullptr;
  for (const k8s::NodeSelectorTerm& term : pod.required_terms()) {
    const auto found = std::ranges::find_if(term.expressions, demands_accelerator);
    if (found == term.expressions.end()) return nullptr;
    if (pin == nullptr) pin = &(*found->node)["key"];
  }
  return pin;
}

/// Whether the pod can use devices that it does not request from the device plugin.
static bool reaches_devices_otherwise(const k8s::PodSpec& pod) {
  if (!pod["runtimeClassName"].text().empty() || !pod["resourceClaims"].is_empty()) return true;
  return std::ranges::any_of(pod.all_containers(), accelerators::sees_devices_without_request);
}

static void check(const Workload& workload, Findings& findings) {
  const std::string_view kind = workload.object->kind;
  // KServe sets the GPUs of a multi-node predictor.
  const bool worker = kind == "InferenceService" && workload.component == "worker";
  if (worker || (*workload.written)["workerSpec"]) return;
  // KServe creates the claims of an LLMInferenceService with this annotation.
  if (workload.object->annotations()["serving.kserve.io/exp-dra-device-class"]) return;
  if (workload.pod.requests_resource(k8s::is_extended_resource) ||
      reaches_devices_otherwise(workload.pod))
    return;
  // Other rules report a wrong name and a wrong place.
  if (accelerators::requests_unobtainable(workload.own) ||
      accelerators::requests_unobtainable(workload.pod))
    return;
  const Node* pin = pin_of(workload.pod);
  if (pin == nullptr) return;
  findings
      .add(*pin,
           "'{}' pins the pod to accelerator nodes, but no container requests an accelerator: the "
           "pod gets none",
           pin->text())
      .help(
          "add the accelerator to the limits of the container that uses it, or remove the "
          "selector");
}

extern constinit const Rule rule = {
    .id = "accelerator-selector-without-request",
    .severity = Severity::warning,
    .decided_by_subject = true,
    .of = Domain::complete | Domain::no_patches | Domain::scheduled | Domain::whole,
    .check = check,
};

}  // namespace cnsched::rules::accelerator_selector_without_request
