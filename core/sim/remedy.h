#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/arena.h"
#include "core/sim/plugin.h"
#include "core/workloads/workspace.h"
#include "core/yaml/change.h"

namespace cnsched::sim {

/// A change of one line or value of a manifest that removes an obstacle.
struct Remedy {
  std::string title;  ///< "set 'pool' in nodeSelector to 'infer'"
  Span where;         ///< the value or key to edit, or where something is to be added
  std::vector<yaml::Change> changes;
  const yaml::Document* document = nullptr;  ///< of the changes
  int cost = 0;  ///< the more of what the author wanted is lost, the higher
};

/// A pod, the node that it is to fit on, and who asks for it.
struct Fitting {
  const Workspace& run;
  const Workload& workload;
  const Pod& pod;
  const Cluster& cluster;
  std::size_t node = 0;
};

/// The ways to remove an obstacle, the cheapest first; none where no edit of a manifest does. What
/// they write is made in `values`.
std::vector<Remedy> remedies_for(const Obstacle& obstacle, const Fitting& fitting, Arena& values);

}  // namespace cnsched::sim
