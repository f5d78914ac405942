#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/sim/simulation.h"

namespace cnsched::cli {

/// Nodes with the same verdict, score and reasons for a workload.
struct NodeGroup {
  sim::Verdict verdict = sim::Verdict::ok;
  std::optional<std::int64_t> score{};
  std::vector<std::string> reasons;  ///< in cnsched's words, printable; none if the verdict is ok
  std::vector<std::size_t> nodes;
};

/// Every node in one group: first the feasible nodes by score, then unknown nodes, then infeasible
/// ones, those with the fewest reasons first. If there are too many groups to read (the amounts of
/// free resources differ, for example), nodes are grouped by the reasons of all filters, or else by
/// those of the first one.
std::vector<NodeGroup> node_groups(const sim::Simulated& simulated);

/// The causes for which each node of `explained` is not feasible, by the node's index.
sim::CausesByNode causes_on_nodes(const sim::Simulated& simulated, sim::NodeSet explained);

/// The reasons of a node in cnsched's words. `causes` are those on this node.
std::vector<std::string> reasons_in_words(const sim::Simulated& simulated,
                                          const std::vector<sim::Cause>& causes, std::size_t node);

}  // namespace cnsched::cli
