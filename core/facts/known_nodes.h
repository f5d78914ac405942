#pragma once

#include <vector>

#include "core/accelerators/conflict.h"
#include "core/facts/node_pools.h"

namespace cnsched::facts {

/// What the labels of these pools and the allocatable devices of Nodes show. To be made for each
/// pod: it answers a few questions, and denies all further ones.
accelerators::KnownNodes known_nodes(const std::vector<NodePool>& pools);

}  // namespace cnsched::facts
