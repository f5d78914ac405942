#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/sim/cluster.h"
#include "core/sim/diagnosis.h"

namespace cnsched::sim {

/// The nominated pods that the scheduler leaves room for when it places a pod: those of the same or
/// a higher priority, as indices in Cluster::pods(), by node.
using NominatedPods = std::map<std::size_t, std::vector<std::size_t>>;
NominatedPods nominated_before(const Pod& pod, const Cluster& cluster);

/// What filters report for a node: with its nominated pods if they reject it then, else without
/// them. The cluster is the same at the end.
std::vector<Rejection> rejections_on(std::size_t node, const NominatedPods& nominated,
                                     const Pod& pod, Cluster& cluster);

/// The diagnosis of a pod on a cluster with nominated pods. The cluster is the same at the end.
Diagnosis diagnose(const Pod& pod, Cluster& cluster);

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
