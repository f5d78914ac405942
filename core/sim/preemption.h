#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/sim/diagnosis.h"

namespace cnsched::sim {

/// A running pod that preemption evicts.
struct Victim {
  std::size_t index = 0;  ///< in Cluster::pods()
  std::string_view ns;
  std::string_view name;
  std::int64_t priority = 0;
  std::vector<std::string_view> violated;  ///< the PodDisruptionBudgets that the eviction violates
};

/// What kube-scheduler does for a pod that fits on no node.
struct Preemption {
  /// The second half of its message: "no new claims to deallocate, preemption: 0/2 nodes are
  /// available: …". Empty if it evicts pods, or if it is unknown what it does.
  std::string message;
  /// Where it evicts pods; the pod fits after they have ended. Nothing if it evicts none.
  std::optional<std::size_t> node{};
  std::vector<Victim> victims{};  ///< the most important one first
  /// kube-scheduler examines only some of the nodes, from a random one on, and may choose another.
  bool is_sampled = false;
  bool is_failure = false;  ///< `message` is the error of a plugin
};

/// What kube-scheduler says of a pod after both.
std::string event_of(const Diagnosis& diagnosis, const Preemption& preemption);

/// What kube-scheduler does after this diagnosis of the pod on the cluster, which is the same at
/// the end. Nodes that an autoscaler may add are no candidates.
Preemption preempt(const Pod& pod, const Diagnosis& diagnosis, Cluster& cluster);

}  // namespace cnsched::sim
