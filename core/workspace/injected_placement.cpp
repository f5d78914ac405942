#include "core/workspace/injected_placement.h"

#include <algorithm>

#include "core/kserve/hardware_profile.h"
#include "core/workspace/cluster_scope.h"

namespace cnsched {

namespace {

/// Whether the object names a HardwareProfile that is merged into none of its pods.
bool names_unknown_profile(const Workload& workload) {
  if (kserve::profile_reference(*workload.object).name->is_missing()) return false;
  return workload.scope == nullptr ||
         std::ranges::none_of(
             workload.scope->workloads_of(*workload.object),
             [](const Workload* pod) { return kserve::profile_of(*pod) != nullptr; });
}

}  // namespace

bool gets_placement_from_others(const Workload& workload) {
  return !workload.pod["runtimeClassName"].text().empty() || names_unknown_profile(workload) ||
         workload.object->labels()[kserve::kQueueLabel] || (*workload.labels)[kserve::kQueueLabel];
}

}  // namespace cnsched
