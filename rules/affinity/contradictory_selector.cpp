#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>

#include "rules/affinity/selector_conflicts.h"
#include "rules/affinity/wording.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Workload& workload, Report& report);

extern constinit const Rule affinity_contradictory_selector = {
    .id = "contradictory-selector",
    .severity = Severity::error,
    .summary = "a node selector and required affinity that no node satisfies together",
    .why =
        "The pod stays Pending with 'node(s) didn't match Pod's node affinity/selector', because "
        "no node satisfies all its requirements: every label of nodeSelector, and all expressions "
        "of at least one nodeSelectorTerm. No node matches if a label must have two values, must "
        "be both absent and present, or must be in two intervals that do not overlap. No node "
        "matches either if two labels, such as GKE's and NVIDIA's, name different cards.\n\n"
        "Terms are ORed. A term that contradicts itself or the node selector is a warning if "
        "another term can match, because the pod can still be scheduled.",
    .limits =
        "A contradiction between an InferenceService and its runtime is reported by "
        "runtime-selector-conflict. Two labels are not compared by their cards if a node or node "
        "pool of the linted files, the --cluster files or the configuration has both. A term that "
        "never matches is reported only if one object has all its requirements, because a list of "
        "terms for several clouds may be merged with a runtime for one cloud. A runtime that a "
        "pod of these files uses is checked as part of that pod.",
    .bad = R"(
nodeSelector:
  nvidia.com/gpu.product: Tesla-T4
affinity:
  nodeAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      nodeSelectorTerms:
      - matchExpressions:
        - {key: nvidia.com/gpu.product, operator: In, values: [NVIDIA-L4, NVIDIA-A10G]}
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
        - key: nvidia.com/gpu.product
          operator: In
          values: [Tesla-T4, NVIDIA-L4, NVIDIA-A10G]
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
[contradictions(pod)].map(all, all.exists(l, l.size() == 0) || may_get_more_terms(pod) ? '' :
  all.map(l, l.map(m, m + ': the pod stays Pending; terms are ORed, and each is ANDed with nodeSelector: remove one of the two').join('\n')).join('\n')))cel",
            .warnings = R"cel(
[contradictions(pod)].map(all, all.all(l, l.size() > 0) && !may_get_more_terms(pod) ? '' :
  all.map(l, l.map(m, m + ': this term never matches; terms are ORed, and each is ANDed with nodeSelector: remove one of the two').join('\n')).join('\n')))cel",
            .without = "conflicts between two products, sizes or vendors of accelerators",
        },
};

using accelerators::Conflict;
using k8s::Requirement;

/// A requirement, with the property of the card that it describes if the conflict is about that.
static std::string with_remark(const Requirement& r, const Conflict& conflict) {
  const auto& difference = conflict.difference;
  if (!difference) return described(r);
  const bool first = r.node == conflict.labels.front().node;
  return fmt::format("{} ({} {})", described(r), name_of(difference->trait),
                     first ? difference->first : difference->last);
}

/// "both 'pool: a' and 'pool In b'"; for more than two only the label, because each has a note.
static std::string subject_of(const Conflict& conflict) {
  const Requirement& last = conflict.labels.back();
  if (conflict.labels.size() > 2) {
    return fmt::format("all requirements on '{}'", last.key);
  }
  return fmt::format("both {} and {}", with_remark(conflict.labels.front(), conflict),
                     with_remark(last, conflict));
}

static std::string_view advice_on(const Conflict& conflict) {
  const auto labels = std::ranges::count_if(conflict.labels, is_label);
  if (labels == static_cast<std::ptrdiff_t>(conflict.labels.size())) {
    return "remove one of the two";
  }
  return labels == 0 ? "all expressions of a term must match: remove one, or move it into a "
                       "separate term, because terms are ORed"
                     : "terms are ANDed with nodeSelector: remove one of the two";
}

static constexpr std::size_t kMaxNotes = 10;

static void note_others(const Conflict& conflict, Report::Finding& finding) {
  const auto& labels = conflict.labels;
  for (std::size_t i = 0; i < std::min(labels.size() - 1, kMaxNotes); ++i) {
    finding.note(place_of(labels[i]), "{}",
                 i == 0 ? "the conflicting requirement" : "another conflicting requirement");
  }
}

static void report_no_node(const Workload& workload, const ReportedConflicts& reported,
                           Report& report) {
  const Conflict& first = reported.all.found.front();
  auto finding = report.add(place_of(first.labels.back()),
                            "no node satisfies {}: the pod stays Pending", subject_of(first));
  note_others(first, finding);
  const std::span others = std::span(reported.all.found).subspan(1);
  for (const Conflict& other : others.first(std::min(others.size(), kMaxNotes - 1))) {
    finding.note(place_of(other.labels.back()),
                 "this term never matches either: no node satisfies {}", subject_of(other));
  }
  finding.help("{}", advice_on(first));
  if (!reported.is_certain) note_unknown(workload, place_of(first.labels.back()), finding);
}

static void report_dead_term(const Conflict& conflict, Report& report) {
  auto finding = report.add(place_of(conflict.labels.back()),
                            "no node satisfies {}: this term never matches", subject_of(conflict));
  finding.severity(Severity::warning).help("{}", advice_on(conflict));
  note_others(conflict, finding);
}

static void check(const Workload& workload, Report& report) {
  const ReportedConflicts reported =
      conflicts_to_report(workload, accelerators::Subject::labels, report);
  if (reported.all.leaves_no_node) {
    report_no_node(workload, reported, report);
    return;
  }
  for (const Conflict& conflict : reported.all.found) report_dead_term(conflict, report);
}

}  // namespace cnsched::rules
