#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/base/arena.h"
#include "core/diag/diagnostic.h"
#include "core/sim/plugin.h"
#include "core/workspace/workspace.h"

namespace cnsched::sim {

/// A fix of a manifest that removes a cause: "set 'pool' in nodeSelector to 'infer'".
struct ProposedFix : Fix {
  Span where{};  ///< the value or key to edit, or where the new value is added
  int cost = 0;  ///< higher if the fix loses more of the author's intent; 0 for a typo
};

/// A pod, its workload, and the node on which the pod should fit.
struct PlacementTarget {
  const Workspace& workspace;
  const Workload& workload;
  const Pod& pod;
  const Cluster& cluster;
  std::size_t node = 0;
};

/// No fix of a cause of that kind costs less; nothing if no fix removes it.
std::optional<int> least_cost(Cause::Kind kind);
/// The fixes that remove a cause, the cheapest first; empty if no fix of a linted manifest does.
/// New values are allocated in `values`.
std::vector<ProposedFix> proposed_fixes(const Cause& cause, const PlacementTarget& target,
                                        Arena& values);

}  // namespace cnsched::sim
