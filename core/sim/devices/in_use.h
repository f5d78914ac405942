#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/quantity.h"
#include "core/k8s/object.h"
#include "core/sim/node_set.h"
#include "core/sim/pod.h"

namespace cnsched::sim::devices {

using NamedQuantities = std::vector<std::pair<std::string_view, Quantity>>;

/// What claims use of a device that several of them may share.
struct SharedUse {
  bool is_counted = false;  ///< whether the amounts are stated
  NamedQuantities consumed;
};

/// The devices that claims use, by their ids.
struct DevicesInUse {
  std::vector<bool> dedicated;
  std::unordered_map<std::uint32_t, SharedUse> shared;

  bool is_dedicated(std::uint32_t id) const { return id < dedicated.size() && dedicated[id]; }
  bool is_used(std::uint32_t id) const { return is_dedicated(id) || shared.contains(id); }
};

/// A claim whose devices are allocated to a pod that the simulation has placed.
struct PlacedClaim {
  NodeSet nodes;  ///< that can use the devices
  std::size_t pods = 0;
};

/// What placed pods add to the claims of the cluster.
struct PlacedDevices {
  std::optional<DevicesInUse> in_use;  ///< with those of the cluster; nothing: only those
  std::map<const k8s::Object*, PlacedClaim> claims;
};

}  // namespace cnsched::sim::devices

namespace cnsched::sim {

class Cluster;

namespace devices {

/// Allocates the devices of a pod that is placed on a node, which is feasible for it.
void place_claims(const Pod& pod, const Cluster& cluster, std::size_t node, PlacedDevices& placed);

}  // namespace devices
}  // namespace cnsched::sim
