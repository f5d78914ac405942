#include "cli/output/node_groups.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "core/base/text.h"

namespace cnsched::cli {

namespace {

using sim::Verdict;

/// A limit for readability.
constexpr std::size_t kMaxGroups = 8;

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

sim::CausesByNode causes_on_nodes(const sim::Simulated& simulated, sim::NodeSet explained) {
  explained -= simulated.diagnosis->feasible();
  // The pod is that of one choice of flavors; another one may fit.
  if (simulated.by_flavor.size() > 1) explained -= simulated.diagnosis->unknown();
  return sim::causes_on(explained, simulated.pod, *simulated.cluster);
}

std::vector<std::string> reasons_in_words(const sim::Simulated& simulated,
                                          const std::vector<sim::Cause>& causes, std::size_t node) {
  std::vector<std::string> reasons;
  std::set<const sim::Plugin*> explained;
  for (const sim::Cause& cause : causes) {
    reasons.push_back(cause.text);
    explained.insert(cause.plugin);
  }
  for (const sim::Rejection& rejection : simulated.diagnosis->rejections()) {
    if (rejection.is_certain || !rejection.nodes.contains(node)) continue;
    if (!explained.contains(rejection.plugin)) reasons.push_back(rejection.reason);
  }
  return reasons;
}

std::vector<NodeGroup> node_groups(const sim::Simulated& simulated) {
  const auto causes = causes_on_nodes(simulated, simulated.cluster->all());
  const auto in_words = [&](const sim::Simulated& of, std::size_t node) {
    return reasons_in_words(of, causes[node], node);
  };
  std::vector<NodeGroup> groups = grouped(simulated, in_words);
  if (groups.size() > kMaxGroups) groups = grouped(simulated, of_all_filters);
  if (groups.size() <= kMaxGroups) return groups;
  return grouped(simulated, of_first_filter);
}

}  // namespace cnsched::cli
