#pragma once

#include <cstdint>
#include <vector>

#include "core/sim/cluster.h"
#include "core/sim/node_set.h"

namespace cnsched::sim {

enum class Better : unsigned char { more, less };

/// The raw scores of the feasible nodes on a scale from 0 to 100, in the nodes' order. Source:
/// pkg/scheduler/framework/plugins/helper/normalize_score.go.
std::vector<std::int64_t> normalized(const std::vector<std::int64_t>& raw_of_node,
                                     const NodeSet& feasible, Better better);

/// How much the pod prefers each of the feasible nodes, in their order: what plugins say of
/// preferred affinity and PreferNoSchedule taints, with kube-scheduler's weights. How full the
/// nodes are is left out, and so are images that they hold.
std::vector<std::int64_t> scores(const Pod& pod, const Cluster& cluster, const NodeSet& feasible);

}  // namespace cnsched::sim
