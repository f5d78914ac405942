#include "core/sim/plugins.h"

#include <array>

namespace cnsched::sim {

std::span<const Plugin* const> plugins() {
  static constexpr auto kInOrder = std::to_array<const Plugin*>({
      &node_affinity_pre_filter,
      &node_unschedulable,
      &node_name,
      &taint_toleration,
      &node_affinity,
      &node_ports,
      &node_resources_fit,
      &pod_topology_spread,
      &inter_pod_affinity,
      &unfiltered,
  });
  return kInOrder;
}

}  // namespace cnsched::sim
