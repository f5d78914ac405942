#include <algorithm>

#include "core/accelerators/catalogue.h"
#include "core/accelerators/device_request.h"
#include "core/accelerators/resource_name.h"
#include "core/workloads/patch.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Workload& workload, Report& report);

extern constinit const Rule resource_accelerator_selector_without_request = {
    .id = "accelerator-selector-without-request",
    .severity = Severity::warning,
    .summary = "a pod pinned to accelerator nodes that requests no accelerator",
    .why =
        "The pod occupies an expensive node and gets no device: the device plugin allocates "
        "devices only to containers that request them. The admission plugin "
        "ExtendedResourceToleration adds no toleration either, so on tainted nodes the pod stays "
        "Pending. Where the pod does run, the autoscaler cannot remove the node.",
    .limits =
        "Not reported: DaemonSets, kustomize patches, multi-node predictors, runtimes and configs, "
        "and pods that depend on an unknown one. Pods that can reach devices in another way are "
        "not reported either: with a runtimeClassName, resourceClaims, or the annotation "
        "serving.kserve.io/exp-dra-device-class. A request under a wrong name or at a wrong place "
        "is reported by the rules for those mistakes.",
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
    .admission =
        AdmissionCheck{
            .warnings = R"cel(
pod.fragment || !pod.complete || is_set(pod.spec.?workerSpec) || request.kind.kind == 'InferenceService' && pod.name == 'worker' ||
request.kind.kind == 'Server' && !is_set(pod.object.spec.?serverConfig) ||
annotation(pod.object, 'serving.kserve.io/exp-dra-device-class') != '' || is_set(pod.spec.?runtimeClassName) || list(pod.spec.?resourceClaims).size() > 0 ||
any_request(pod.allContainers, n, is_extended_resource(n)) || pod.allContainers.exists(c, sees_devices(c)) || requests_unobtainable(pod) ? [] :
(pod.nodeSelector.filter(k, means_accelerator(k, pod.nodeSelector[k])).map(k, string(k)) +
 [pod.required.map(t, list(t.?matchExpressions).filter(r, text(r.?operator) in ['Exists', 'Gt'] && is_accelerator_label(text(r.?key)) ||
     text(r.?operator) == 'In' && list(r.?values).size() > 0 && list(r.?values).all(v, means_accelerator(text(r.?key), v))).map(r, text(r.?key)))]
   .filter(l, l.size() > 0 && l.all(keys, keys.size() > 0)).map(l, l[0][0]))
.map(k, "'" + k + "' pins the pod to accelerator nodes, but no container requests an accelerator: the pod gets none; add the accelerator to the limits of the container that uses it, or remove the selector"))cel",
        },
};

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

static void check(const Workload& workload, Report& report) {
  if (workload.fragment || workload.is_incomplete()) return;
  if (is_patch(workload, report.scope())) return;
  const std::string_view kind = workload.object->kind;
  if (kind == "DaemonSet") return;  // monitors of those nodes
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
  report
      .add(*pin,
           "'{}' pins the pod to accelerator nodes, but no container requests an accelerator: the "
           "pod gets none",
           pin->text())
      .help(
          "add the accelerator to the limits of the container that uses it, or remove the "
          "selector");
}

}  // namespace cnsched::rules
