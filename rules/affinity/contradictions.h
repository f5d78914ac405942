#pragma once

#include <algorithm>
#include <utility>

#include "core/accelerators/contradiction.h"
#include "rules/affinity/doubt.h"
#include "rules/kserve/authors.h"

namespace cnsched::rules {

/// The contradictions of one pod that a rule should tell.
struct ToldContradictions {
  accelerators::Contradictions all;
  bool is_certain = true;  ///< whatever the run does not hold
};

/// Whether one object holds all of these demands.
inline bool has_one_author(const accelerators::Contradiction& contradiction, const Report& report) {
  const auto author = [&](const k8s::Requirement& r) {
    return report.run().object_around(r.node->span);
  };
  return std::ranges::all_of(contradiction.demands, [&](const k8s::Requirement& r) {
    return author(r) == author(contradiction.demands.front());
  });
}

/// Of two objects that contradict each other the pod's own is to change: put last, it is pointed
/// at. The other may be shared by many.
inline void put_own_last(accelerators::Contradiction& contradiction, const Workload& workload,
                         const Report& report) {
  const auto is_own = [&](const k8s::Requirement& r) {
    return report.run().object_around(r.node->span) == workload.object;
  };
  auto& demands = contradiction.demands;
  const bool turned = demands.size() == 2 && is_own(demands.front()) && !is_own(demands.back());
  if (!turned) return;
  std::swap(demands.front(), demands.back());
  if (auto& difference = contradiction.difference) std::swap(difference->label, difference->other);
}

/// Whether an object that the run does not hold may add terms, which are ORed with these. Where
/// KServe merges, a list that is written takes the other's place.
inline bool may_get_more_terms(const Workload& workload) {
  return workload.object->group() == "mlops.seldon.io" &&
         (workload.fragment || workload.is_incomplete());
}

/// What `about` finds in the pod. A service and its runtime that clash are reported by
/// runtime-selector-conflict; only what the service itself contradicts is told then. A term that
/// never matches beside others that do is a mistake only where one author wrote it all: a portable
/// list of terms may meet a runtime of one cloud.
inline ToldContradictions contradictions_to_tell(const Workload& workload,
                                                 accelerators::About about, const Report& report) {
  if (!workload.never_created.empty()) return {};
  // What is built on a fragment may change it, and is looked at itself.
  if (workload.fragment && report.run().is_built_on(*workload.object)) return {};
  const std::vector<NodePool>& pools = report.facts().pools;
  const bool is_told = clash_between_layers(workload, layers_of(workload), pools).has_value();
  ToldContradictions told{
      contradictions_in(is_told ? workload.own : workload.pod, about, evidence_in(pools))};
  accelerators::Contradictions& all = told.all;
  if (all.found.empty()) return told;
  if (!all.in_selector && may_get_more_terms(workload)) all.leaves_nothing = false;
  if (!all.leaves_nothing) {
    std::erase_if(all.found, [&](const auto& one) { return !has_one_author(one, report); });
  }
  for (accelerators::Contradiction& one : all.found) put_own_last(one, workload, report);
  // Labels and terms of its own are in the pod, whatever they are merged with.
  const auto is_own = [&](const accelerators::Contradiction& one) {
    return has_one_author(one, report) &&
           report.run().object_around(one.demands.back().node->span) == workload.object;
  };
  told.is_certain = !(workload.is_incomplete() || workload.lacks(k8s::Unknown::Kind::chosen)) ||
                    std::ranges::all_of(all.found, is_own);
  return told;
}

}  // namespace cnsched::rules
