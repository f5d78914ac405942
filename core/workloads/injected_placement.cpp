#include "core/workloads/injected_placement.h"

namespace cnsched {

bool gets_placement_from_others(const Workload& workload) {
  constexpr std::string_view kQueue = "kueue.x-k8s.io/queue-name";
  return !workload.pod["runtimeClassName"].text().empty() ||
         workload.object->annotations()["opendatahub.io/hardware-profile-name"] ||
         workload.object->labels()[kQueue] || (*workload.labels)[kQueue];
}

}  // namespace cnsched
