#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/sim/cluster.h"
#include "core/sim/plugin.h"

namespace cnsched::sim {

enum class Verdict : unsigned char {
  infeasible,
  unknown,  ///< nothing that is known speaks against it
  ok,
};

/// What kube-scheduler says of every node for one pod. The cluster has to outlive it.
class Diagnosis {
 public:
  Diagnosis(const Pod& pod, const Cluster& cluster);

  const Cluster& cluster() const { return *cluster_; }
  Verdict verdict(std::size_t node) const;
  const NodeSet& feasible() const { return feasible_; }
  /// Nodes that may do.
  const NodeSet& unknown() const { return unknown_; }
  /// No node does, nor may any.
  bool fits_nowhere() const { return (feasible_.empty() && unknown_.empty()) || !failure_.empty(); }
  const std::vector<Objection>& objections() const { return objections_; }

  /// What the first plugin that objects to the node says; of one that may do, what is not known.
  std::vector<std::string_view> reasons(std::size_t node) const;
  /// The same of all plugins.
  std::vector<std::string_view> all_reasons(std::size_t node) const;
  /// How much the pod prefers the node (sim::scores); nothing if it is not feasible.
  std::optional<std::int64_t> score(std::size_t node) const;

  /// Why the attempt as a whole fails, though nodes are feasible: a preference that cannot be read.
  const std::string& failure() const { return failure_; }
  /// As the scheduler's own event: "0/12 nodes are available: 8 Insufficient nvidia.com/gpu, …".
  std::string event() const { return summary() + "."; }
  /// The same without the full stop.
  std::string summary() const;

 private:
  const Cluster* cluster_;
  std::vector<Objection> objections_;  ///< in the plugins' order
  NodeSet feasible_;
  NodeSet unknown_;
  std::vector<std::int64_t> scores_;  ///< of the feasible ones, in their order
  std::string failure_;
};

/// All that is in the way on a node, in the plugins' order.
std::vector<Obstacle> obstacles(const Pod& pod, const Cluster& cluster, std::size_t node);

}  // namespace cnsched::sim
