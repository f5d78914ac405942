#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/sim/simulation.h"

namespace cnsched::cli {

/// Nodes that a workload fares alike on.
struct NodeGroup {
  sim::Verdict verdict = sim::Verdict::ok;
  std::optional<std::int64_t> score{};
  std::vector<std::string> reasons;  ///< in words of ours, printable; none where it is ok
  std::vector<std::size_t> nodes;
};

/// Every node in one group: the feasible ones first, by score; then what may do; then the others,
/// those with the fewest reasons first. Where the reasons of nodes differ too much to be read (by
/// how much room is left, say), nodes are alike that fail the same filters, or else the same one
/// first.
std::vector<NodeGroup> node_groups(const sim::Simulated& simulated);

/// All that is in the way on a node, and what is not known, in words.
std::vector<std::string> reasons_in_words(const sim::Simulated& simulated, std::size_t node);

}  // namespace cnsched::cli
