#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/arena.h"
#include "core/sim/plugin.h"
#include "core/workspace/workspace.h"
#include "core/yaml/change.h"

namespace cnsched::sim {

/// An edit of a manifest that removes a cause.
struct ProposedEdit {
  std::string title;  ///< "set 'pool' in nodeSelector to 'infer'"
  Span where;         ///< the value or key to edit, or where the new value is added
  std::vector<yaml::Change> changes;
  const yaml::Document* document = nullptr;  ///< contains all changes
  int cost = 0;  ///< higher if the edit loses more of the author's intent; 0 for a typo
};

/// A pod, its workload, and the node on which the pod should fit.
struct PlacementTarget {
  const Workspace& workspace;
  const Workload& workload;
  const Pod& pod;
  const Cluster& cluster;
  std::size_t node = 0;
};

/// The edits that remove a cause, the cheapest first; empty if no edit of a linted manifest does.
/// New values are allocated in `values`.
std::vector<ProposedEdit> proposed_edits(const Cause& cause, const PlacementTarget& target,
                                         Arena& values);

}  // namespace cnsched::sim
