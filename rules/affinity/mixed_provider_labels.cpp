#include "rules/affinity/selector_conflicts.h"
#include "rules/common/wording.h"
#include "rules/rule.h"

namespace cnsched::rules::mixed_provider_labels {

using accelerators::Conflict;
using yaml::Node;

/// The key of the label, or the annotation that the label is made from.
static const Node& key_of(const k8s::Requirement& r) {
  if (!is_label(r)) return (*r.node)["key"];
  const bool is_written = r.node->key() != nullptr && r.node->key()->span != Span();
  return is_written ? *r.node->key() : *r.node;
}

static void add_finding(const Workload& workload, const Conflict& conflict,
                        const ReportedConflicts& reported, Findings& findings) {
  const k8s::Requirement& other = conflict.labels.front();
  const k8s::Requirement& last = conflict.labels.back();
  const auto& [trait, cloud_of_other, cloud_of_last] = *conflict.difference;
  auto finding = findings.add(
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

static void check(const Workload& workload, Findings& findings) {
  const ReportedConflicts reported =
      conflicts_to_report(workload, accelerators::DemandKind::clouds, findings);
  for (const Conflict& conflict : reported.all.found) {
    add_finding(workload, conflict, reported, findings);
  }
}

extern constinit const Rule rule = {
    .id = "mixed-provider-labels",
    .severity = Severity::error,
    .of = Domain::built | Domain::unused_parts,
    .check = check,
};

}  // namespace cnsched::rules::mixed_provider_labels
