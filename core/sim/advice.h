#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/arena.h"
#include "core/sim/remedy.h"
#include "core/sim/simulation.h"

namespace cnsched::sim {

/// One or two edits after which a pod fits: made, and simulated again.
struct Suggestion {
  std::vector<Remedy> edits;
  std::size_t node = 0;  ///< one that it fits on then
  std::size_t fits = 0;  ///< how many it does
};

/// What helps a workload that fits nowhere.
struct Advice {
  /// The node that the smallest change makes it fit on, else the one with the fewest obstacles;
  /// nothing if there are no nodes.
  std::optional<std::size_t> nearest;
  std::vector<Obstacle> obstacles;      ///< on the nearest node
  std::vector<Suggestion> suggestions;  ///< the smallest first; every one works
  std::string exclusion;                ///< if there are none: which filters leave no node together
};

/// Advice for all workloads of a simulation that fit nowhere, by their places among its workloads,
/// with `most` suggestions for each. What they write lives in `values`.
///
/// Each obstacle on a node has remedies; a node that takes one or two edits is a candidate. The
/// edits are made in the files' text, in memory; all is read, merged and simulated anew, and only
/// what makes the pod fit is kept.
std::map<std::size_t, Advice> advise(const Workspace& run, const Simulation& simulation,
                                     std::size_t most, Arena& values);

}  // namespace cnsched::sim
