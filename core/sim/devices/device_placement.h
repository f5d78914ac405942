#pragma once

#include <cstddef>

#include "core/sim/devices/in_use.h"
#include "core/sim/pod.h"

namespace cnsched::sim {

class Cluster;

namespace devices {

/// Allocates the devices of a pod that is placed on a node, which is feasible for it.
void place_claims(const Pod& pod, const Cluster& cluster, std::size_t node, PlacedDevices& placed);

}  // namespace devices
}  // namespace cnsched::sim
