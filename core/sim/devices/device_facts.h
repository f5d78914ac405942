#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/k8s/object.h"
#include "core/sim/devices/allocator.h"
#include "core/sim/devices/claims.h"
#include "core/sim/devices/in_use.h"
#include "core/sim/devices/slices.h"

namespace cnsched::sim {

class Cluster;

namespace devices {

/// The objects of resource.k8s.io in a cluster.
class DeviceFacts {
 public:
  using Objects = std::vector<const k8s::Object*>;

  /// With temporary state: the devices that claims use.
  enum class State : std::uint8_t { read, ignored };
  DeviceFacts(const Objects& classes, State state)
      : classes_(classes, expressions_), state_(state) {}
  DeviceFacts(const DeviceFacts&) = delete;
  DeviceFacts& operator=(const DeviceFacts&) = delete;

  const DeviceClasses& classes() const { return classes_; }

  /// What is read when a pod has claims, and caches of results.
  class Access {
   public:
    const DeviceClasses& classes() const { return facts_.classes_; }
    DeviceExpressions& expressions() { return facts_.expressions_; }
    Inventory& inventory() { return *facts_.inventory_; }
    const DevicesInUse& in_use() const { return facts_.in_use_; }
    /// The claims of that name, in any namespace.
    const Objects& claims(std::string_view name) const;
    const Objects& templates(std::string_view name) const;
    /// Whether kube-scheduler already made a claim for the extended resources of the Pod of that
    /// uid.
    bool has_extended_resource_claim(std::string_view uid) const;
    /// The same for the Pod of that name; null if there is none.
    const k8s::Object* extended_resource_claim(const k8s::Namespace& ns,
                                               std::string_view pod) const;
    /// The devices in use without those of a claim.
    DevicesInUse in_use_without(const k8s::Object& claim) const;
    /// The claim's allocation; missing if there is none.
    const yaml::Node& allocation(const k8s::Object& claim) const;

   private:
    friend class DeviceFacts;
    explicit Access(DeviceFacts& facts) : facts_(facts), lock_(facts.mutex_) {}

    DeviceFacts& facts_;
    std::unique_lock<std::mutex> lock_;
  };
  /// Excludes other threads while it exists. `cluster` is that of these facts.
  Access access(const Cluster& cluster);

 private:
  void load(const Cluster& cluster);
  void add_use(const k8s::Object& claim, DevicesInUse& in_use) const;

  DeviceExpressions expressions_;
  DeviceClasses classes_;
  State state_;
  std::mutex mutex_;
  std::unique_ptr<Inventory> inventory_;
  DevicesInUse in_use_;
  std::unordered_map<std::string_view, Objects> claims_;
  std::unordered_map<std::string_view, Objects> templates_;
  struct MadeClaim {
    const k8s::Object* claim = nullptr;
    const yaml::Node* owner = nullptr;
  };
  std::vector<MadeClaim> made_claims_;  ///< for extended resources of Pods
};

}  // namespace devices
}  // namespace cnsched::sim
