#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/sim/devices/claims.h"
#include "core/sim/devices/device_expression.h"
#include "core/sim/devices/slices.h"

namespace cnsched::sim::devices {

/// A device for a request.
struct AllocatedDevice {
  const Device* device = nullptr;
  const Slice* slice = nullptr;
  bool is_admin = false;
  bool is_shared = false;
  NamedQuantities consumed;
};

struct Allocation {
  enum class Kind : std::uint8_t {
    found,
    none,          ///< the devices do not suffice
    invalid_pool,  ///< the same, and a pool has errors
    error,         ///< scheduling of the pod fails
    unknown,
  };
  Kind kind = Kind::none;
  std::string message;  ///< of an error, or what is unknown
  std::vector<std::vector<AllocatedDevice>> by_claim;
};

/// What the nodes of one attempt share.
struct AllocationContext {
  const DevicesInUse& in_use;
  DeviceExpressions& expressions;
  const Inventory& inventory;
  /// The steps that the attempt may take on all nodes together.
  std::uint64_t& steps;
  /// The free counters by name of the pool, computed by the first node that needs them.
  std::map<std::string_view, std::map<std::string_view, NamedQuantities>> free_counters{};
};

/// Finds devices for the claims on a node whose pools are given. Takes the first solution, as
/// kube-scheduler does.
Allocation allocate(const std::vector<PendingClaim>& claims, const std::vector<Pool>& pools,
                    std::size_t node, AllocationContext& context);

/// Why a request finds too few devices on a node, whatever the other requests get.
std::string shortage_on(const std::vector<PendingClaim>& claims, const std::vector<Pool>& pools,
                        std::size_t node, AllocationContext& context);

/// Adds what an allocation uses.
void use(const AllocatedDevice& allocated, DevicesInUse& in_use);

}  // namespace cnsched::sim::devices
