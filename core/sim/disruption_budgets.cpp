// Source: pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go,
// filterPodsWithPDBViolation, of kube-scheduler 1.36.

#include "core/sim/disruption_budgets.h"

#include <algorithm>

#include "core/yaml/scalar.h"

namespace cnsched::sim {

/// A selector without requirements selects nothing.
bool DisruptionBudgets::Budget::counts(const Pod& pod) const {
  return !selector.empty() && !disrupted.contains(pod.name) &&
         std::ranges::all_of(selector, [&](const k8s::ValueMatcher& matcher) {
           return matcher(pod.label(matcher.requirement().key));
         });
}

DisruptionBudgets::DisruptionBudgets(const std::vector<const k8s::Object*>& objects) {
  for (const k8s::Object* object : objects) {
    const yaml::Node& status = (*object)["status"];
    if (!status.is_mapping()) continue;
    Budget budget{.name = object->name,
                  .selector = {},
                  .allowed = yaml::integer_of(status["disruptionsAllowed"]).value_or(0),
                  .disrupted = {}};
    for (k8s::Requirement& r : k8s::label_selector_in(object->spec()["selector"])) {
      budget.selector.emplace_back(std::move(r));
    }
    for (const yaml::Entry& entry : status["disruptedPods"].entries()) {
      budget.disrupted.insert(entry.key->text());
    }
    by_namespace_[object->ns].push_back(std::move(budget));
  }
}

std::vector<std::vector<std::string_view>> DisruptionBudgets::violated_by(
    const std::vector<const RunningPod*>& pods) const {
  std::vector<std::vector<std::string_view>> violated(pods.size());
  std::map<const Budget*, std::int64_t> evicted;
  for (std::size_t i = 0; i < pods.size(); ++i) {
    const Pod& pod = pods[i]->pod;
    const auto budgets = by_namespace_.find(pod.ns);
    if (budgets == by_namespace_.end() || pod.labels.empty()) continue;
    for (const Budget& budget : budgets->second) {
      if (budget.counts(pod) && ++evicted[&budget] > budget.allowed) {
        violated[i].push_back(budget.name);
      }
    }
  }
  return violated;
}

}  // namespace cnsched::sim
