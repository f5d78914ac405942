#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/sim/autoscaler.h"

namespace cnsched::sim {

/// The nodes of the replicas of one workload, placed together with all other workloads.
struct Placement {
  const Cluster* cluster = nullptr;  ///< of the nodes
  std::int64_t replicas = 0;
  std::vector<std::size_t> nodes;  ///< one for each replica that is placed
  /// The machine types of those that are added and whose type is known.
  std::map<std::size_t, std::string> types{};
  std::string event;  ///< why the next replica is not placed; empty if all are

  bool is_complete() const { return static_cast<std::int64_t>(nodes.size()) == replicas; }
};

/// The nodes of one machine type, or of one pool whose type is unknown, in one cluster.
struct NodeCount {
  std::string type;                  ///< "g6.xlarge", "node pool 'general'"
  std::size_t before = 0;            ///< that exist
  std::size_t after = 0;             ///< with those that autoscalers add
  std::vector<std::string> pools{};  ///< that get them: "NodePool 'gpu'"
};

/// The replicas of all workloads.
struct Placements {
  std::vector<Placement> of_workload;  ///< in the order of the simulation
  /// By the first workload of each cluster to which autoscalers add nodes.
  std::map<std::size_t, std::vector<NodeCount>> nodes;
};

/// Places all replicas of all workloads greedily, in the order of the workspace: each on the
/// feasible node with the highest score, or the first of several such nodes. Places one replica if
/// the number is unknown. If no node is feasible, adds one as an autoscaler does, up to the limits
/// of the pools. Places none on a node with verdict unknown.
Placements place_all(const Simulation& simulation, Autoscalers& autoscalers);

}  // namespace cnsched::sim
