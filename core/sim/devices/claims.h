#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/k8s/object.h"
#include "core/sim/devices/device_expression.h"
#include "core/sim/devices/slices.h"

namespace cnsched::sim::devices {

struct DeviceSelector {
  const yaml::Node* node = nullptr;
  std::string_view expression;  ///< empty: a kind of selector that is unknown
  std::uint32_t number = 0;     ///< in DeviceExpressions
};

struct DeviceToleration {
  std::string_view key, op, value, effect;

  bool tolerates(const DeviceTaint& taint) const;
};

struct DeviceClass {
  std::string_view name;
  std::string_view extended_resource;  ///< empty if there is none
  std::string_view created;            ///< creationTimestamp
  std::vector<DeviceSelector> selectors;
};

/// What a request, or one of its alternatives, requires.
struct DeviceRequest {
  std::string_view name;
  std::string_view class_name;
  const DeviceClass* device_class = nullptr;
  std::string_view mode;  ///< "ExactCount" or "All"
  std::int64_t count = 1;
  bool admin_access = false;
  std::vector<DeviceSelector> selectors;
  std::vector<DeviceToleration> tolerations;
  NamedQuantities capacity;
};

/// A request of a claim: one alternative (`exactly`), or several (`firstAvailable`).
struct ClaimRequest {
  std::string name;
  bool has_alternatives = false;
  std::vector<DeviceRequest> alternatives;
};

struct ClaimConstraint {
  enum class Kind : std::uint8_t { match, distinct, unsupported };
  Kind kind = Kind::unsupported;
  std::string_view attribute;
  std::vector<std::string_view> requests;  ///< empty: all
};

/// A claim whose devices are not allocated yet.
struct PendingClaim {
  std::string name;   ///< with its namespace
  std::string shown;  ///< "ResourceClaim 'ml/gpu'"
  std::vector<ClaimRequest> requests;
  std::vector<ClaimConstraint> constraints;
};

/// The DeviceClasses of a cluster.
class DeviceClasses {
 public:
  DeviceClasses(const std::vector<const k8s::Object*>& objects, DeviceExpressions& expressions);
  DeviceClasses(const DeviceClasses&) = delete;
  DeviceClasses& operator=(const DeviceClasses&) = delete;

  bool empty() const { return classes_.empty(); }
  /// Null if there is none of that name.
  const DeviceClass* find(std::string_view name) const;
  /// The class whose devices serve an extended resource; null if there is none.
  const DeviceClass* of_resource(std::string_view resource) const;

 private:
  std::vector<DeviceClass> classes_;  ///< by name
  std::unordered_map<std::string, const DeviceClass*> by_resource_;
};

/// The requests and constraints in the spec of a ResourceClaim.
PendingClaim claim_in(const yaml::Node& spec, const DeviceClasses& classes,
                      DeviceExpressions& expressions);

/// What a request takes of each capacity of a device.
NamedQuantities consumed_by(const NamedQuantities& requested, const Device& device);

/// Whether the device has enough for `requested` besides what `used` and `more` take.
bool has_capacity_for(const NamedQuantities& requested, const Device& device,
                      const NamedQuantities* used, const NamedQuantities* more);

/// The amount of that name; null if there is none.
const Quantity* amount_in(const NamedQuantities& amounts, std::string_view name);
void add_amounts(const NamedQuantities& more, NamedQuantities& amounts);
void subtract_amounts(const NamedQuantities& less, NamedQuantities& amounts);

}  // namespace cnsched::sim::devices
