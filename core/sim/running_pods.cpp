#include "core/sim/running_pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/text.h"
#include "core/workspace/pod_metadata.h"
#include "core/yaml/scalar.h"

namespace cnsched::sim {

void PodSample::add(const RunningPod& pod) {
  constexpr std::size_t kShown = 3;
  if (first_.size() < kShown) first_.push_back(&pod);
  count_ += pod.count;
}

std::string PodSample::text() const {
  std::vector<std::string> names;
  for (const RunningPod* running : first_) {
    const Pod& pod = running->pod;
    const std::string ns = pod.ns.is_known() ? printable(pod.ns.name) + "/" : "";
    names.push_back(fmt::format("'{}{}'", ns, printable(pod.name)));
  }
  if (count_ > names.size()) names.push_back(fmt::format("{} more", count_ - names.size()));
  return fmt::format("pod{} {}", count_ == 1 ? "" : "s", join_words(names));
}

void RunningPods::add(RunningPod running) {
  const auto index = static_cast<std::uint32_t>(pods_.size());
  const Pod& pod = running.pod;
  for (const k8s::Label& label : pod.labels) by_label_[label.key][label.value].push_back(index);
  for (AffinityTerm& term : required_anti_affinity(pod)) {
    const auto [found, is_new] = by_term_.try_emplace(term.identity(), anti_affinities_.size());
    if (is_new) anti_affinities_.push_back({std::move(term), {}});
    anti_affinities_[found->second].pods.push_back(index);
  }
  pods_.push_back(std::move(running));
}

std::uint32_t RunningPods::add_replica(RunningPod running) {
  const auto [found, is_new] = replicas_.try_emplace(
      {&running.pod.spec.node(), running.pod.ns.name, running.node, running.generation},
      static_cast<std::uint32_t>(pods_.size()));
  const std::uint32_t index = found->second;
  if (is_new) {
    add(std::move(running));
  } else {
    ++pods_[index].count;
  }
  return index;
}

std::optional<std::vector<const RunningPods::Indices*>> RunningPods::with_values(
    const k8s::ValueMatcher& matcher) const {
  const k8s::Requirement& r = matcher.requirement();
  // These labels are unknown for pods that the simulation placed.
  if (r.op != "In" || is_added_to_pods(r.key)) return std::nullopt;
  std::vector<const Indices*> lists;
  const auto values = by_label_.find(r.key);
  if (values == by_label_.end()) return lists;
  for (const std::string_view value : matcher.listed()) {
    const auto found = values->second.find(value);
    if (found != values->second.end()) lists.push_back(&found->second);
  }
  return lists;
}

std::optional<std::vector<const RunningPods::Indices*>> RunningPods::shortest_lists(
    const PodSelector& selector) const {
  std::optional<std::vector<const Indices*>> best;
  std::size_t fewest = 0;
  for (const k8s::ValueMatcher& matcher : selector.requirements()) {
    auto lists = with_values(matcher);
    if (!lists) continue;
    std::size_t pods = 0;
    for (const Indices* list : *lists) pods += list->size();
    if (best && pods >= fewest) continue;
    fewest = pods;
    best = std::move(lists);
  }
  return best;
}

// Source: pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go,
// filterPodsWithPDBViolation, of kube-scheduler 1.36.

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
    by_namespace_[object->ns.name].push_back(std::move(budget));
  }
}

std::vector<std::vector<std::string_view>> DisruptionBudgets::violated_by(
    const std::vector<const RunningPod*>& pods) const {
  std::vector<std::vector<std::string_view>> violated(pods.size());
  std::map<const Budget*, std::int64_t> evicted;
  for (std::size_t i = 0; i < pods.size(); ++i) {
    const Pod& pod = pods[i]->pod;
    const auto budgets = by_namespace_.find(pod.ns.name);
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
