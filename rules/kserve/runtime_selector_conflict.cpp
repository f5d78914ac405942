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
    .depends_on_run = true,
    .summary = "selectors of service and runtime that no node satisfies together",
    .why =
        "The pod stays Pending with 'node(s) didn't match Pod's node affinity/selector'. KServe "
        "unites the node selector of a service with that of its runtime, key by key: the service "
        "can give a key another value but cannot remove one. So a runtime made for one card, "
        "vendor or cloud keeps its label when a service asks for another with a label of its "
        "own, and no node has both. The same holds for a canary over its stable predictor and "
        "for an LLMInferenceService over its baseRefs.\n\n"
        "A warning where it is not known which runtime KServe chooses.",
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
};

using accelerators::Clash;
using accelerators::Demand;

/// What a label tells, for it may not be plain from its name.
static std::string remark(const Clash& clash, const std::string& told) {
  if (!clash.difference) return {};
  return fmt::format(" ({} {})", name_of(clash.difference->trait), told);
}

static std::string advice_on(const Clash& clash, const Demand& theirs, const std::string& author) {
  using accelerators::Trait;
  if (!is_label(theirs.requirement)) {
    return fmt::format("write required nodeSelectorTerms here, which replace those of {}", author);
  }
  const bool same_kind = !clash.difference || clash.difference->trait == Trait::card ||
                         clash.difference->trait == Trait::card_of_memory;
  return same_kind
             ? fmt::format(
                   "select the nodes by '{}' in nodeSelector here instead: its value wins over "
                   "that of {}",
                   theirs.requirement.key, author)
             : fmt::format("remove this, or do without {}: none of its labels can be removed here",
                           author);
}

/// Whether the pod is a worker's, of which there is none if the mode turns out to be Knative.
static bool has_doubtful_worker(const Workload& workload) {
  return workload.component.ends_with("worker") && workload.lacks(k8s::Unknown::Kind::circumstance);
}

/// Whether what is unknown may undo the clash. The presets of an LLMInferenceService that the run
/// does not hold lie beneath everything else: they can only add demands.
static bool may_be_otherwise(const Workload& workload) {
  return workload.is_incomplete() ||
         (workload.object->kind == "InferenceService" &&
          (workload.lacks(k8s::Unknown::Kind::chosen) || has_doubtful_worker(workload)));
}

/// What the choice of a runtime depends on.
static const yaml::Node& model_of(const Workload& workload) {
  const yaml::Node& model = (*workload.written)["model"];
  const yaml::Node& place = model ? model : *workload.written;
  return place.key() != nullptr ? *place.key() : place;
}

static void report_clash(const Workload& workload, const std::vector<Layer>& layers, Clash clash,
                         Report& report) {
  const auto& difference = clash.difference;
  std::string told_of_label = remark(clash, difference ? difference->label : "");
  std::string told_of_other = remark(clash, difference ? difference->other : "");
  if (clash.label.side > clash.other.side) {
    std::swap(clash.label, clash.other);
    std::swap(told_of_label, told_of_other);
  }
  const Demand& theirs = clash.label;
  const Demand& mine = clash.other;
  const std::string& author = layers[theirs.side].name;
  auto finding = report.add(place_of(mine.requirement),
                            "no node has both {}{} and, from {}, {}{}: the pod asks for both, and "
                            "stays Pending",
                            described(mine.requirement), told_of_other, author,
                            described(theirs.requirement), told_of_label);
  finding.note(place_of(theirs.requirement), "{} selects this", author)
      .help("{}", advice_on(clash, theirs, author));
  if (!may_be_otherwise(workload)) return;
  finding.severity(Severity::warning);
  for (const k8s::Unknown& unknown : workload.unknown) {
    const bool circumstance = unknown.kind == k8s::Unknown::Kind::circumstance;
    if (circumstance && !has_doubtful_worker(workload)) continue;
    finding.note(model_of(workload), "not known: {}", unknown.what);
  }
}

static void check(const Workload& workload, Report& report) {
  const std::vector<Layer> layers = layers_of(workload);
  if (auto clash = clash_between_layers(workload, layers, report.facts().pools)) {
    report_clash(workload, layers, std::move(*clash), report);
  }
}

}  // namespace cnsched::rules
