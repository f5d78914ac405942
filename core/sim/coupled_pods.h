#pragma once

#include <vector>

#include "core/sim/cluster.h"

namespace cnsched::sim {

/// A superset of the running pods that matter to the filters of the pod on other nodes than their
/// own, by their indices: those that spread constraints or pod affinity count, and those that share
/// a claim of a volume.
std::vector<std::size_t> coupled_pods(const Pod& pod, const Cluster& cluster);

}  // namespace cnsched::sim
