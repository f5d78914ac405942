#pragma once

#include <cstddef>
#include <map>
#include <vector>

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

}  // namespace cnsched::sim
