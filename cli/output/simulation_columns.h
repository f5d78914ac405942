#pragma once

#include <cstddef>
#include <vector>

#include "core/sim/simulation.h"

namespace cnsched::cli {

/// Nodes of a cluster that are shown as one.
struct NodeColumn {
  std::vector<std::size_t> nodes;  ///< their places, in order; never empty
  bool is_alike = true;            ///< every workload has the same verdict and reasons for them
};

/// All nodes of the cluster, those together that all of its workloads treat alike, in the order of
/// their first ones. Beyond `most` groups the last is what is left over.
std::vector<NodeColumn> node_columns(const std::vector<const sim::Simulated*>& workloads,
                                     const sim::Cluster& cluster, std::size_t most);

}  // namespace cnsched::cli
