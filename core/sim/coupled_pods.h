#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/sim/cluster.h"

namespace cnsched::sim {

/// The running pods that matter to the filters of a pod on other nodes than their own.
struct CoupledPods {
  /// A superset, as indices in Cluster::pods(), in order: the pods that spread constraints or pod
  /// affinity count, and those that share a claim of a volume.
  std::vector<std::size_t> pods;
  std::set<std::string_view> topology_keys;  ///< by which they are counted
};

CoupledPods coupled_pods(const Pod& pod, const Cluster& cluster);

/// Equal for two nodes only if it makes no difference for spread constraints and pod affinity from
/// which of them these coupled pods are removed.
std::string removal_key(std::size_t node, const std::vector<std::size_t>& pods,
                        const CoupledPods& coupled, const Cluster& cluster);

}  // namespace cnsched::sim
