#pragma once

#include "core/workspace/workload.h"

namespace cnsched {

/// Whether something unknown adds tolerations and node selectors to the pod: a
/// RuntimeClass (its `scheduling`), a hardware profile of Open Data Hub, a queue of Kueue's (the
/// flavours of its resources).
bool gets_placement_from_others(const Workload& workload);

}  // namespace cnsched
