#include "core/facts/pool_fit.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/k8s/selector.h"
#include "core/k8s/taint.h"

namespace cnsched::facts {

namespace {

using k8s::Requirement;

Fit fit_of(const Requirement& requirement, const NodePool& pool) {
  if (requirement.matches(pool.labels)) return Fit::yes;
  const bool all_known = pool.object != nullptr && pool.object->is("", "Node");
  const bool has_key =
      std::ranges::find(pool.labels, requirement.key, &k8s::Label::key) != pool.labels.end();
  return all_known || has_key || !requirement.requires_label() ? Fit::no : Fit::perhaps;
}

Fit fit_of_all(const std::vector<Requirement>& requirements, const NodePool& pool) {
  Fit worst = Fit::yes;
  for (const Requirement& requirement : requirements) {
    worst = std::min(worst, fit_of(requirement, pool));
    if (worst == Fit::no) break;
  }
  return worst;
}

}  // namespace

NodeDemands::NodeDemands(const k8s::PodSpec& pod) : terms_(pod.required_terms()) {
  for (const k8s::Label& label : pod.node_selector()) {
    selector_.push_back(k8s::requirement_of(label));
  }
}

Fit NodeDemands::fit(const NodePool& pool) const {
  const Fit by_selector = fit_of_all(selector_, pool);
  if (by_selector == Fit::no || terms_.empty()) return by_selector;
  Fit best = Fit::no;
  for (const k8s::NodeSelectorTerm& term : terms_) {
    if (term.is_empty()) continue;
    best = std::max(best, fit_of_all(term.expressions, pool));
  }
  return std::min(by_selector, best);
}

std::vector<k8s::Taint> repelling_taints(const NodePool& pool,
                                         const std::vector<k8s::Toleration>& tolerations) {
  std::vector<k8s::Taint> repelling;
  for (const k8s::Taint& taint : pool.taints) {
    if (!taint.repels() || k8s::is_node_state_taint(taint.key)) continue;
    if (!k8s::tolerated(taint, tolerations)) repelling.push_back(taint);
  }
  return repelling;
}

}  // namespace cnsched::facts
