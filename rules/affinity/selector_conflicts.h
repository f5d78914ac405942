#pragma once

#include <algorithm>
#include <utility>

#include "core/accelerators/conflict.h"
#include "rules/common/authors.h"

namespace cnsched::rules {

/// The conflicts of one pod that a rule reports.
struct ReportedConflicts {
  accelerators::SelectorConflicts all;
  bool is_certain = true;  ///< objects that were not read cannot resolve them
};

/// Whether one object has all of these requirements.
inline bool has_one_author(const accelerators::Conflict& conflict, const Findings& findings) {
  const auto author = [&](const k8s::Requirement& r) {
    return findings.scope().object_around(r.node->span);
  };
  return std::ranges::all_of(conflict.labels, [&](const k8s::Requirement& r) {
    return author(r) == author(conflict.labels.front());
  });
}

/// Moves the requirement of the pod's own object to the end, where the finding points: the other
/// object may be shared by many pods.
inline void put_own_last(accelerators::Conflict& conflict, const Workload& workload,
                         const Findings& findings) {
  const auto is_own = [&](const k8s::Requirement& r) {
    return findings.scope().object_around(r.node->span) == workload.object;
  };
  auto& labels = conflict.labels;
  const bool is_reversed = labels.size() == 2 && is_own(labels.front()) && !is_own(labels.back());
  if (!is_reversed) return;
  std::swap(labels.front(), labels.back());
  if (auto& difference = conflict.difference) std::swap(difference->first, difference->last);
}

/// Whether an object that was not read may add terms, which are ORed with these. KServe's merge
/// replaces a list instead.
inline bool may_get_more_terms(const Workload& workload) {
  return workload.object->group() == "mlops.seldon.io" &&
         (workload.fragment || workload.is_incomplete());
}

/// The conflicts of the pod among demands of `kind`. runtime-selector-conflict reports a service
/// that conflicts with its runtime; then only conflicts in the service itself are returned. A
/// term that never matches, next to terms that do, is a mistake only if one object has all of it: a
/// portable list of terms may meet a runtime of one cloud.
inline ReportedConflicts conflicts_to_report(const Workload& workload,
                                             accelerators::DemandKind kind,
                                             const Findings& findings) {
  const std::vector<facts::NodePool>& pools = findings.facts().pools;
  const bool is_reported =
      conflict_between_layers(workload, layers_of(workload), pools).has_value();
  ReportedConflicts reported{
      selector_conflicts(is_reported ? workload.own : workload.pod, kind, known_nodes(pools))};
  accelerators::SelectorConflicts& all = reported.all;
  if (all.found.empty()) return reported;
  if (!all.in_selector && may_get_more_terms(workload)) all.leaves_no_node = false;
  if (!all.leaves_no_node) {
    std::erase_if(all.found, [&](const auto& one) { return !has_one_author(one, findings); });
  }
  for (accelerators::Conflict& one : all.found) put_own_last(one, workload, findings);
  // The object's own labels and terms are in the pod, whatever they are merged with.
  const auto is_own = [&](const accelerators::Conflict& one) {
    return has_one_author(one, findings) &&
           findings.scope().object_around(one.labels.back().node->span) == workload.object;
  };
  reported.is_certain =
      !(workload.is_incomplete() || workload.has_unknown(k8s::Unknown::Kind::chosen)) ||
      std::ranges::all_of(all.found, is_own);
  return reported;
}

}  // namespace cnsched::rules
