#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "rules/affinity/wording.h"
#include "rules/kserve/authors.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Workload& workload, Report& report);

extern constinit const Rule kserve_runtime_selector_conflict = {
    .id = "runtime-selector-conflict",
    .severity = Severity::error,
    .depends_on_workspace = true,
    .summary = "selectors of a service and its runtime that no node satisfies together",
    .why =
        "The pod stays Pending with 'node(s) didn't match Pod's node affinity/selector'. KServe "
        "merges the node selectors of a service and its runtime key by key: the service can change "
        "the value of a key, but cannot remove the key. A runtime for one card, vendor or cloud "
        "therefore keeps its label when a service selects another one by a different label, and no "
        "node has both.\n\n"
        "The same applies to a canary over its stable predictor, and to an LLMInferenceService "
        "over its baseRefs. The finding is a warning if it is not known which runtime KServe "
        "chooses.",
    .limits =
        "Only runtimes, predictors and configs in the linted files and the --cluster files are "
        "compared. The rule reports nothing if a node or node pool of these files or of the "
        "configuration has both labels. A contradiction within one object is reported by "
        "contradictory-selector or mixed-provider-labels.",
    .bad = R"(
apiVersion: serving.kserve.io/v1alpha1
kind: ServingRuntime
metadata:
  name: vllm
spec:
  supportedModelFormats:
  - name: huggingface
  nodeSelector:
    nvidia.com/gpu.product: Tesla-T4
  containers:
  - name: kserve-container
    image: registry.example.com/vllm:1
    resources:
      limits: {nvidia.com/gpu: 1}
---
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: llama
  annotations:
    serving.kserve.io/deploymentMode: RawDeployment
spec:
  predictor:
    deploymentStrategy: {type: Recreate}
    nodeSelector:
      cloud.google.com/gke-accelerator: nvidia-l4
    model:
      modelFormat: {name: huggingface}
      runtime: vllm
)",
    .good = R"(
apiVersion: serving.kserve.io/v1alpha1
kind: ServingRuntime
metadata:
  name: vllm
spec:
  supportedModelFormats:
  - name: huggingface
  nodeSelector:
    nvidia.com/gpu.product: Tesla-T4
  containers:
  - name: kserve-container
    image: registry.example.com/vllm:1
    resources:
      limits: {nvidia.com/gpu: 1}
---
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: llama
  annotations:
    serving.kserve.io/deploymentMode: RawDeployment
spec:
  predictor:
    deploymentStrategy: {type: Recreate}
    nodeSelector:
      nvidia.com/gpu.product: NVIDIA-L4
    model:
      modelFormat: {name: huggingface}
      runtime: vllm
)",
    .source = "https://kserve.github.io/website/docs/concepts/resources/servingruntime",
    .check = check,
    .not_exported = "it depends on the runtime, which is another object",
};

using accelerators::Conflict;
using k8s::Requirement;

/// The property of the nodes that a label describes, which its name may not show.
static std::string remark(const Conflict& conflict, const std::string& value) {
  if (!conflict.difference) return {};
  return fmt::format(" ({} {})", name_of(conflict.difference->trait), value);
}

static std::string advice_on(const Conflict& conflict, const Requirement& other,
                             const std::string& author) {
  using accelerators::Trait;
  if (!is_label(other)) {
    return fmt::format("write required nodeSelectorTerms here, which replace those of {}", author);
  }
  const bool same_kind = !conflict.difference || conflict.difference->trait == Trait::card ||
                         conflict.difference->trait == Trait::card_of_memory;
  return same_kind
             ? fmt::format("set '{}' in nodeSelector here instead: its value overrides that of {}",
                           other.key, author)
             : fmt::format("remove this, or do not use {}: its labels cannot be removed here",
                           author);
}

/// Whether the pod is a worker, which does not exist if the mode is Knative.
static bool is_uncertain_worker(const Workload& workload) {
  return workload.component.ends_with("worker") &&
         workload.has_unknown(k8s::Unknown::Kind::creation);
}

/// Whether an unknown object may resolve the conflict. Unknown presets of an LLMInferenceService
/// are the base layer and can only add requirements.
static bool may_be_resolved(const Workload& workload) {
  return workload.is_incomplete() ||
         (workload.object->kind == "InferenceService" &&
          (workload.has_unknown(k8s::Unknown::Kind::chosen) || is_uncertain_worker(workload)));
}

/// The field that the choice of a runtime depends on.
static const yaml::Node& model_of(const Workload& workload) {
  const yaml::Node& model = (*workload.written)["model"];
  const yaml::Node& place = model ? model : *workload.written;
  return place.key() != nullptr ? *place.key() : place;
}

static void report_conflict(const Workload& workload, const std::vector<Layer>& layers,
                            const Conflict& conflict, Report& report) {
  const Authors author_of(layers);
  const auto& difference = conflict.difference;
  std::string own_remark = remark(conflict, difference ? difference->last : "");
  std::string other_remark = remark(conflict, difference ? difference->first : "");
  const Requirement* own = &conflict.labels.back();
  const Requirement* other = &conflict.labels.front();
  if (author_of(*other->node) > author_of(*own->node)) {
    std::swap(own, other);
    std::swap(own_remark, other_remark);
  }
  const std::string& author = layers[author_of(*other->node)].name;
  auto finding =
      report.add(place_of(*own),
                 "no node has both {}{} and {}{} of {}: the pod requires both and stays Pending",
                 described(*own), own_remark, described(*other), other_remark, author);
  finding.note(place_of(*other), "{} selects this", author)
      .help("{}", advice_on(conflict, *other, author));
  if (!may_be_resolved(workload)) return;
  finding.severity(Severity::warning);
  for (const k8s::Unknown& unknown : workload.unknown) {
    if (!unknown.adds_fields() && !is_uncertain_worker(workload)) continue;
    finding.note(model_of(workload), "unknown: {}", unknown.what);
  }
}

static void check(const Workload& workload, Report& report) {
  const std::vector<Layer> layers = layers_of(workload);
  if (const auto conflict = conflict_between_layers(workload, layers, report.facts().pools)) {
    report_conflict(workload, layers, *conflict, report);
  }
}

}  // namespace cnsched::rules
