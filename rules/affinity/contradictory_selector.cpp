#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>

#include "rules/affinity/selector_conflicts.h"
#include "rules/common/wording.h"
#include "rules/rule.h"

namespace cnsched::rules::contradictory_selector {

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

static void note_others(const Conflict& conflict, Findings::Finding& finding) {
  const auto& labels = conflict.labels;
  for (std::size_t i = 0; i < std::min(labels.size() - 1, kMaxNotes); ++i) {
    finding.note(place_of(labels[i]), "{}",
                 i == 0 ? "the conflicting requirement" : "another conflicting requirement");
  }
}

static void report_no_node(const Workload& workload, const ReportedConflicts& reported,
                           Findings& findings) {
  const Conflict& first = reported.all.found.front();
  auto finding = findings.add(place_of(first.labels.back()),
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

static void report_dead_term(const Conflict& conflict, Findings& findings) {
  auto finding =
      findings.add(place_of(conflict.labels.back()),
                   "no node satisfies {}: this term never matches", subject_of(conflict));
  finding.severity(Severity::warning).help("{}", advice_on(conflict));
  note_others(conflict, finding);
}

static void check(const Workload& workload, Findings& findings) {
  const ReportedConflicts reported =
      conflicts_to_report(workload, accelerators::DemandKind::labels, findings);
  if (reported.all.leaves_no_node) {
    report_no_node(workload, reported, findings);
    return;
  }
  for (const Conflict& conflict : reported.all.found) report_dead_term(conflict, findings);
}

extern constinit const Rule rule = {
    .id = "contradictory-selector",
    .severity = Severity::error,
    .of = Domain::built | Domain::unused_parts,
    .check = check,
};

}  // namespace cnsched::rules::contradictory_selector
