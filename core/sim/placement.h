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
  /// Why a replica is not placed.
  enum class Obstacle : unsigned char {
    node,   ///< it fits no node
    quota,  ///< the API server does not create it
    group,  ///< its group is not complete
  };
  std::int64_t replicas = 0;
  std::vector<std::size_t> nodes;  ///< one for each replica that is placed
  std::string event;               ///< why the next replica is not placed; empty if all are
  Obstacle obstacle = Obstacle::node;
  std::int64_t groups = 0;  ///< of which the pods are part; 0: of none
  std::int64_t placed_groups = 0;
  std::string_view note{};  ///< what else to know if the group is not complete
  std::vector<Eviction> evictions{};

  /// Adds a replica on a node, from which these pods are evicted for it.
  void add(std::size_t node, std::vector<Victim> victims);
  bool is_complete() const { return static_cast<std::int64_t>(nodes.size()) == replicas; }
  /// "the next one fits nowhere: …"
  std::string why_incomplete() const;
};

/// Places all replicas of all workloads greedily, in the order of the workspace: each on the
/// feasible node with the highest score, or the first of several such nodes. Places one replica if
/// the number is unknown. Adds autoscaled nodes one by one on demand. Places none on a node with
/// verdict unknown. Pods of lower priority are evicted as the scheduler does; evicted replicas of
/// other workloads are not placed again. Replicas use up the ResourceQuotas, and a group
/// (core/sim/gang.h) is placed only if all of its pods find room.
std::vector<Placement> place_all(const Simulation& simulation);

}  // namespace cnsched::sim
