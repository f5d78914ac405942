#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/arena.h"
#include "core/sim/proposed_fix.h"
#include "core/sim/simulation.h"

namespace cnsched::sim {

/// One or two fixes after which the pod fits, as a simulation of the fixed files shows.
struct Suggestion {
  std::vector<ProposedFix> fixes;
  std::size_t node = 0;  ///< a node that the pod then fits on
  std::size_t fits = 0;  ///< the number of such nodes
};

/// Suggestions for a workload that fits on no node.
struct Advice {
  /// The node of the first suggestion, or else the node with the fewest causes; nothing if there
  /// are no nodes.
  std::optional<std::size_t> nearest;
  std::vector<Cause> causes;            ///< on the nearest node
  std::vector<Suggestion> suggestions;  ///< the smallest first
  std::string exclusion;                ///< without suggestions: the filters that leave no node
};

/// Whether the node has some of the resource, or other accelerators of its vendor.
bool has_devices(std::size_t node, std::string_view resource, const Cluster& cluster);

/// Advice for every workload that fits on no node, by the workload's index, with up to
/// `max_suggestions` each; not for pods that Kueue never admits. New values are allocated in
/// `values`.
///
/// Each cause on a node has fixes that remove it. A node that needs one or two fixes is a
/// candidate. The fixes are applied to the files' text in memory, all files are merged and
/// simulated again, and only fixes after which the pod fits are kept.
std::map<std::size_t, Advice> advise(const Workspace& workspace, const Simulation& simulation,
                                     std::size_t max_suggestions, Arena& values);

}  // namespace cnsched::sim
