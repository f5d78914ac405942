#include "rules/affinity/selector_conflicts.h"
#include "rules/affinity/wording.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Workload& workload, Report& report);

extern constinit const Rule affinity_mixed_provider_labels = {
    .id = "mixed-provider-labels",
    .severity = Severity::error,
    .summary = "labels of two cloud providers, which no node has together",
    .why =
        "The pod stays Pending with 'node(s) didn't match Pod's node affinity/selector', because "
        "it selects nodes of two providers at once. Labels with cloud.google.com/ exist only on "
        "GKE, those with karpenter.k8s.aws/, eks.amazonaws.com/ and k8s.amazonaws.com/ only on "
        "EKS, "
        "and those with "
        "kubernetes.azure.com/ only on AKS. A node must have all labels of nodeSelector and match "
        "all expressions of one term of the required affinity.\n\n"
        "Terms are ORed: with one term for each provider the manifest works on both. The finding "
        "is a warning if only one of several terms mixes providers, because only that term never "
        "matches.",
    .limits =
        "Labels that an InferenceService and its runtime mix together are reported by "
        "runtime-selector-conflict. The rule reports nothing if a node or node pool of the linted "
        "files, the --cluster files or the configuration has both labels. A runtime that a pod of "
        "these files uses is checked as part of that pod.",
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
    .admission =
        AdmissionCheck{
            .errors = R"cel(
[mixed_clouds(pod)].map(all, all.exists(l, l.size() == 0) || may_get_more_terms(pod) ? '' :
  all.map(l, l.map(m, m + ': the pod stays Pending; keep the labels of one provider; for both, write one nodeSelectorTerm for each, because terms are ORed').join('\n')).join('\n')))cel",
            .warnings = R"cel(
[mixed_clouds(pod)].map(all, all.all(l, l.size() > 0) && !may_get_more_terms(pod) ? '' :
  all.map(l, l.map(m, m + ': this term never matches; keep the labels of one provider; for both, write one nodeSelectorTerm for each, because terms are ORed').join('\n')).join('\n')))cel",
        },
};

using accelerators::Conflict;
using yaml::Node;

/// The key of the label, or the annotation that the label is made from.
static const Node& key_of(const k8s::Requirement& r) {
  if (!is_label(r)) return (*r.node)["key"];
  const bool is_written = r.node->key() != nullptr && r.node->key()->span != Span();
  return is_written ? *r.node->key() : *r.node;
}

static void add_finding(const Workload& workload, const Conflict& conflict,
                        const ReportedConflicts& reported, Report& report) {
  const k8s::Requirement& other = conflict.labels.front();
  const k8s::Requirement& last = conflict.labels.back();
  const auto& [trait, cloud_of_other, cloud_of_last] = *conflict.difference;
  auto finding = report.add(
      key_of(last), "no node has labels of both {} ({}'{}') and {} ({}'{}'): {}", cloud_of_last,
      is_annotation(last) ? "from the annotation " : "", written_key(last), cloud_of_other,
      is_annotation(other) ? "from the annotation " : "", written_key(other),
      reported.all.leaves_no_node ? "the pod stays Pending" : "this term never matches");
  finding.note(key_of(other), "the conflicting label");
  if (is_annotation(last) || is_annotation(other)) {
    finding.help("remove the annotation, or the label of {}",
                 is_annotation(last) ? cloud_of_other : cloud_of_last);
  } else {
    finding.help(
        "keep the labels of one provider; for both, write one nodeSelectorTerm for each, because "
        "terms are ORed");
  }
  if (!reported.all.leaves_no_node) finding.severity(Severity::warning);
  if (!reported.is_certain) note_unknown(workload, key_of(last), finding);
}

static void check(const Workload& workload, Report& report) {
  const ReportedConflicts reported =
      conflicts_to_report(workload, accelerators::Subject::clouds, report);
  for (const Conflict& conflict : reported.all.found) {
    add_finding(workload, conflict, reported, report);
  }
}

}  // namespace cnsched::rules
