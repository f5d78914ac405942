#include "cli/output/node_groups.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "core/base/text.h"

namespace cnsched::cli {

namespace {

using sim::Verdict;

/// More of them nobody reads.
constexpr std::size_t kMostGroups = 8;

using Key = std::tuple<Verdict, std::int64_t, std::vector<std::string>>;

std::vector<std::string> of_all_filters(const sim::Simulated& simulated, std::size_t node) {
  const auto reasons = simulated.diagnosis->all_reasons(node);
  return {reasons.begin(), reasons.end()};
}

std::vector<std::string> of_first_filter(const sim::Simulated& simulated, std::size_t node) {
  const auto reasons = simulated.diagnosis->reasons(node);
  return {reasons.begin(), reasons.end()};
}

template <typename ReasonsOf>
std::vector<NodeGroup> grouped(const sim::Simulated& simulated, ReasonsOf reasons_of) {
  std::map<Key, NodeGroup> groups;
  for (std::size_t node = 0; node < simulated.cluster->size(); ++node) {
    const Verdict verdict = simulated.diagnosis->verdict(node);
    const auto score = simulated.diagnosis->score(node);
    std::vector<std::string> reasons;
    if (verdict != Verdict::ok) reasons = reasons_of(simulated, node);
    NodeGroup& group = groups[{verdict, score.value_or(0), reasons}];
    if (group.nodes.empty()) group = {verdict, score, std::move(reasons), {}};
    group.nodes.push_back(node);
  }
  std::vector<NodeGroup> all;
  for (auto& [key, group] : groups) all.push_back(std::move(group));
  std::ranges::stable_sort(all, {}, [](const NodeGroup& group) {
    return std::tuple(-static_cast<int>(group.verdict), -group.score.value_or(0),
                      group.reasons.size(), group.nodes.front());
  });
  return all;
}

}  // namespace

std::vector<std::string> reasons_in_words(const sim::Simulated& simulated, std::size_t node) {
  std::vector<std::string> reasons;
  std::set<const sim::Plugin*> told;
  for (const sim::Obstacle& obstacle : sim::obstacles(simulated.pod, *simulated.cluster, node)) {
    reasons.push_back(obstacle.text);
    told.insert(obstacle.plugin);
  }
  for (const sim::Objection& objection : simulated.diagnosis->objections()) {
    if (objection.is_known || !objection.nodes.contains(node)) continue;
    if (!told.contains(objection.plugin)) reasons.push_back(objection.reason);
  }
  return reasons;
}

std::vector<NodeGroup> node_groups(const sim::Simulated& simulated) {
  for (const auto reasons_of : {reasons_in_words, of_all_filters}) {
    std::vector<NodeGroup> groups = grouped(simulated, reasons_of);
    if (groups.size() <= kMostGroups) return groups;
  }
  return grouped(simulated, of_first_filter);
}

}  // namespace cnsched::cli
