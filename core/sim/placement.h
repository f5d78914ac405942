#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/sim/autoscaler.h"
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
    node,      ///< it fits no node
    rejected,  ///< the API server does not create it
    group,     ///< its group is not complete
    unknown,   ///< the steps of the run are used up
  };
  const Cluster* cluster = nullptr;  ///< of the nodes
  std::int64_t replicas = 0;
  std::vector<std::size_t> nodes;  ///< one for each replica that is placed and not evicted
  /// The machine types of those that are added and whose type is known.
  std::map<std::size_t, std::string> types{};
  std::string event;  ///< why the next replica is not placed; empty if all are
  Obstacle obstacle = Obstacle::node;
  std::int64_t groups = 0;  ///< of which the pods are part; 0: of none
  std::int64_t placed_groups = 0;
  std::string note{};  ///< what else to know of its groups
  std::vector<Eviction> evictions{};
  /// How many replicas were placed and then evicted, by what they were evicted for: "Deployment
  /// 'high'".
  std::map<std::string, std::int64_t> evicted_for{};

  bool is_complete() const { return static_cast<std::int64_t>(nodes.size()) == replicas; }
  /// Whether it is not known if the others find room.
  bool is_unknown() const { return !is_complete() && obstacle == Obstacle::unknown; }
  /// "the next one fits nowhere: …", "2 are evicted for Deployment 'high'"
  std::string why_incomplete() const;
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
/// the number is unknown. If no existing node is feasible, evicts pods of lower priority as
/// kube-scheduler does; if that does not help, adds a node as an autoscaler does, up to the limits
/// of the pools. Evicted replicas of other workloads are not placed again. Places none on a node
/// with verdict unknown. Replicas use up the ResourceQuotas, and a group (core/sim/gang.h) is
/// placed only if all of its pods find room. Uses at most a part of the run's steps.
Placements place_all(const Simulation& simulation, Autoscalers& autoscalers);

}  // namespace cnsched::sim
