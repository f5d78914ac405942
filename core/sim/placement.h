#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/sim/simulation.h"

namespace cnsched::sim {

/// Where the replicas of one workload go, together with all others.
struct Placement {
  std::int64_t wanted = 0;
  std::vector<std::size_t> nodes;  ///< one for each replica that was placed
  std::string event;               ///< why the next one finds no place; empty if all have one

  bool is_complete() const { return static_cast<std::int64_t>(nodes.size()) == wanted; }
};

/// Places all replicas of all workloads, greedily: in the run's order, each on the feasible node
/// that it prefers most, of equals the first. Of a workload whose number of replicas is not known,
/// one. Nodes that an autoscaler adds are opened one after the other, as they are needed; those
/// that may do, which is not known, get none.
std::vector<Placement> place_all(const Simulation& simulation);

}  // namespace cnsched::sim
