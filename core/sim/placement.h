#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/sim/simulation.h"

namespace cnsched::sim {

/// Pods that are evicted for one of the replicas.
struct Eviction {
  std::size_t node = 0;
  std::vector<Victim> victims;
};

/// The nodes of the replicas of one workload, placed together with all other workloads.
struct Placement {
  std::int64_t replicas = 0;
  std::vector<std::size_t> nodes;  ///< one for each replica that is placed
  std::string event;               ///< why the next replica is not placed; empty if all are
  std::vector<Eviction> evictions{};

  bool is_complete() const { return static_cast<std::int64_t>(nodes.size()) == replicas; }
};

/// Places all replicas of all workloads greedily, in the order of the workspace: each on the
/// feasible node with the highest score, or the first of several such nodes. Places one replica if
/// the number is unknown. Adds autoscaled nodes one by one on demand. Places none on a node with
/// verdict unknown. Pods of lower priority are evicted as the scheduler does; evicted replicas of
/// other workloads are not placed again.
std::vector<Placement> place_all(const Simulation& simulation);

}  // namespace cnsched::sim
