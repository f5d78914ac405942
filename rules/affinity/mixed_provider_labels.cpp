#include "rules/affinity/contradictions.h"
#include "rules/affinity/wording.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Workload& workload, Report& report);

extern constinit const Rule affinity_mixed_provider_labels = {
    .id = "mixed-provider-labels",
    .severity = Severity::error,
    .summary = "labels of two cloud providers that one node would need together",
    .why =
        "Labels below cloud.google.com/ are on GKE's nodes only, those below karpenter.k8s.aws/ "
        "and eks.amazonaws.com/ on EKS's, those below kubernetes.azure.com/ on AKS's. All labels "
        "of nodeSelector, and all expressions of one term of the required affinity, have to hold "
        "at once, so a pod that names labels of two providers matches no node of either: it stays "
        "Pending with 'node(s) didn't match Pod's node affinity/selector'. Terms are ORed: one "
        "for each provider makes a manifest that runs on both. A warning where only one of "
        "several terms mixes them: that one never matches. What a service and its runtime mix "
        "together is told by runtime-selector-conflict.",
    .bad = R"(
nodeSelector:
  cloud.google.com/gke-accelerator: nvidia-l4
  karpenter.k8s.aws/instance-gpu-name: l4
model:
  modelFormat: {name: onnx}
  resources:
    limits: {nvidia.com/gpu: 1}
)",
    .good = R"(
affinity:
  nodeAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      nodeSelectorTerms:
      - matchExpressions:
        - {key: cloud.google.com/gke-accelerator, operator: In, values: [nvidia-l4]}
      - matchExpressions:
        - {key: karpenter.k8s.aws/instance-gpu-name, operator: In, values: [l4]}
model:
  modelFormat: {name: onnx}
  resources:
    limits: {nvidia.com/gpu: 1}
)",
    .source =
        "https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#node-affinity",
    .check = check,
};

using accelerators::Contradiction;
using yaml::Node;

/// The key of the label; what gave rise to it where no manifest writes one (an annotation).
static const Node& key_of(const k8s::Requirement& r) {
  if (!is_label(r)) return (*r.node)["key"];
  const bool is_written = r.node->key != nullptr && r.node->key->span != Span();
  return is_written ? *r.node->key : *r.node;
}

static void add_finding(const Workload& workload, const Contradiction& contradiction,
                        const ToldContradictions& told, Report& report) {
  const k8s::Requirement& other = contradiction.demands.front();
  const k8s::Requirement& last = contradiction.demands.back();
  auto finding = report.add(
      key_of(last), "'{}' is a label of {}, '{}' one of {}, and no node has both: {}", last.key,
      contradiction.difference->other, other.key, contradiction.difference->label,
      told.all.leaves_nothing ? "the pod stays Pending" : "this term never matches");
  finding.note(key_of(other), "{}'s label is here", contradiction.difference->label)
      .help(
          "keep the labels of the provider that the pod runs on; for both, write a "
          "nodeSelectorTerm for each: terms are ORed");
  if (!told.all.leaves_nothing) finding.severity(Severity::warning);
  tell_doubt(workload, told, key_of(last), finding);
}

static void check(const Workload& workload, Report& report) {
  const ToldContradictions told =
      contradictions_to_tell(workload, accelerators::About::clouds, report);
  for (const Contradiction& contradiction : told.all.found) {
    add_finding(workload, contradiction, told, report);
  }
}

}  // namespace cnsched::rules
