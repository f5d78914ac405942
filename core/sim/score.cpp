#include "core/sim/score.h"

#include <algorithm>

#include "core/sim/plugin.h"

namespace cnsched::sim {

std::vector<std::int64_t> normalized(const std::vector<std::int64_t>& raw_of_node,
                                     const NodeSet& feasible, Better better) {
  constexpr std::int64_t kFull = 100;
  std::int64_t most = 0;
  feasible.each([&](std::size_t node) { most = std::max(most, raw_of_node[node]); });
  std::vector<std::int64_t> result;
  feasible.each([&](std::size_t node) {
    const std::int64_t share = most == 0 ? 0 : kFull * raw_of_node[node] / most;
    result.push_back(better == Better::less ? kFull - share : share);
  });
  return result;
}

std::vector<std::int64_t> scores(const Pod& pod, const Cluster& cluster, const NodeSet& feasible) {
  std::vector<std::int64_t> total(feasible.count());
  for (const Plugin* plugin : plugins()) {
    if (plugin->score == nullptr) continue;
    const std::vector<std::int64_t> part = plugin->score(pod, cluster, feasible);
    for (std::size_t i = 0; i < total.size(); ++i) total[i] += plugin->weight * part[i];
  }
  return total;
}

}  // namespace cnsched::sim
