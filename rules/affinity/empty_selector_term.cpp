#include <algorithm>

#include "rules/rule.h"

namespace cnsched::rules::empty_selector_term {

using yaml::Node;

/// Whether the term has no content. unknown-field reports fields that do not exist.
static bool is_empty(const Node& term) {
  const auto is_known = [](const yaml::Entry& entry) {
    return entry.key->text() == "matchExpressions" || entry.key->text() == "matchFields";
  };
  return term.is_mapping() && term["matchExpressions"].is_empty() &&
         term["matchFields"].is_empty() && std::ranges::all_of(term.entries(), is_known);
}

namespace {

/// What is empty, the result, and the help.
struct Emptiness {
  std::string_view what;
  std::string_view outcome;
  std::string_view advice;
  Severity severity;
};

}  // namespace

static void add_finding(const Node& term, const Emptiness& emptiness, Findings& findings) {
  findings.add(term, "empty {}: {}", emptiness.what, emptiness.outcome)
      .severity(emptiness.severity)
      .help("{}", emptiness.advice);
}

constexpr Emptiness kOnly = {
    "nodeSelectorTerm", "it matches no node, so the pod stays Pending",
    "add matchExpressions; to allow any node, remove the required affinity", Severity::error};
constexpr Emptiness kBesideOthers = {"nodeSelectorTerm",
                                     "it matches no node, so only the other terms have an effect",
                                     "add matchExpressions, or remove the term", Severity::warning};
constexpr Emptiness kPreference = {"preference", "it does not affect the score",
                                   "add matchExpressions, or remove the list item",
                                   Severity::warning};

static void check_required(const Workload& workload, Findings& findings) {
  const auto terms = workload.pod.required_terms();
  const auto empty = [](const k8s::NodeSelectorTerm& term) { return is_empty(*term.node); };
  const bool all = std::ranges::all_of(terms, empty);
  for (const k8s::NodeSelectorTerm& term : terms) {
    if (!empty(term)) continue;
    add_finding(*term.node, all ? kOnly : kBesideOthers, findings);
  }
}

static void check(const Workload& workload, Findings& findings) {
  check_required(workload, findings);
  for (const k8s::NodeSelectorTerm& term : workload.pod.preferred_terms()) {
    if (!is_empty(*term.node)) continue;
    add_finding(*term.node, kPreference, findings);
  }
}

extern constinit const Rule rule = {
    .id = "empty-selector-term",
    .severity = Severity::error,
    .decided_by_subject = true,
    .of = Domain::unused_parts,
    .check = check,
};

}  // namespace cnsched::rules::empty_selector_term
