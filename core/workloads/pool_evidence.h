#pragma once

#include <vector>

#include "core/accelerators/evidence.h"
#include "core/workloads/node_pools.h"

namespace cnsched {

/// What the labels of these pools, and the allocatable devices of Nodes, show. Made for one pod; of
/// more than a few questions, which nobody's pod raises, the answer is no.
accelerators::Evidence evidence_in(const std::vector<NodePool>& pools);

}  // namespace cnsched
