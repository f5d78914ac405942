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
        "The pod stays Pending with 'node(s) didn't match Pod's node affinity/selector': labels "
        "under cloud.google.com/ are on GKE's nodes only, those under karpenter.k8s.aws/ and "
        "eks.amazonaws.com/ on EKS's, those under kubernetes.azure.com/ on AKS's. All labels of "
        "nodeSelector, and all expressions of one term of the required affinity, have to hold at "
        "once, so a pod that names labels of two providers matches no node of either.\n\n"
        "Terms are ORed: one for each provider makes a manifest that runs on both. A warning "
        "where only one of several terms mixes them: that one never matches. What an "
        "InferenceService and its runtime mix together is reported by runtime-selector-conflict. "
        "The rule is silent where a node or node pool of the linted files, of those given by "
        "--cluster or of the configuration has both labels.",
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
  const bool is_written = r.node->key() != nullptr && r.node->key()->span != Span();
  return is_written ? *r.node->key() : *r.node;
}

static void add_finding(const Workload& workload, const Contradiction& contradiction,
                        const ToldContradictions& told, Report& report) {
  const k8s::Requirement& other = contradiction.demands.front();
  const k8s::Requirement& last = contradiction.demands.back();
  const auto& [trait, cloud_of_other, cloud_of_last] = *contradiction.difference;
  auto finding = report.add(
      key_of(last), "'{}' {} of {}, '{}' {} of {}, and no node has both: {}", written_key(last),
      is_annotation(last) ? "selects nodes by a label" : "is a label", cloud_of_last,
      written_key(other), is_annotation(other) ? "by one" : "is one", cloud_of_other,
      told.all.leaves_nothing ? "the pod stays Pending" : "this term never matches");
  finding.note(key_of(other), "conflicts with this");
  if (is_annotation(last) || is_annotation(other)) {
    finding.help("remove the annotation, or the label of {}",
                 is_annotation(last) ? cloud_of_other : cloud_of_last);
  } else {
    finding.help(
        "keep the labels of the provider that the pod runs on; for both, write a "
        "nodeSelectorTerm for each: terms are ORed");
  }
  if (!told.all.leaves_nothing) finding.severity(Severity::warning);
  if (!told.is_certain) tell_unknown(workload, key_of(last), finding);
}

static void check(const Workload& workload, Report& report) {
  const ToldContradictions told =
      contradictions_to_tell(workload, accelerators::About::clouds, report);
  for (const Contradiction& contradiction : told.all.found) {
    add_finding(workload, contradiction, told, report);
  }
}

}  // namespace cnsched::rules
