#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/sim/devices/claims.h"
#include "core/sim/devices/device_facts.h"
#include "core/sim/pod.h"

namespace cnsched::sim {

class Cluster;

namespace devices {

/// A claim of a pod.
struct PodClaim {
  const k8s::Object* object = nullptr;     ///< a ResourceClaim, or the template of a new one
  bool is_new = false;                     ///< the pod gets its own claim, made from the template
  const yaml::Node* spec = nullptr;        ///< of the claim
  const yaml::Node* written = nullptr;     ///< the entry of the pod's resourceClaims
  const yaml::Node* allocation = nullptr;  ///< missing if the devices are not allocated
  const PlacedClaim* placed = nullptr;     ///< of a pod that the simulation has placed, or null

  bool is_allocated() const { return *allocation || placed != nullptr; }
};

/// The claims of a pod, or why it waits or fails.
struct PodClaims {
  std::vector<PodClaim> claims;
  std::string rejection;  ///< in kube-scheduler's words
  std::string unknown;
  std::string failure;                  ///< scheduling stops with this error
  const yaml::Node* written = nullptr;  ///< what causes it

  bool is_decided() const { return !rejection.empty() || !unknown.empty() || !failure.empty(); }
};

/// As PreFilter of kube-scheduler's DynamicResources reads them.
PodClaims claims_of(const Pod& pod, const Cluster& cluster, DeviceFacts::Access& facts);

/// The requests of a claim without its name.
PendingClaim pending_claim(const PodClaim& claim, const Pod& pod, DeviceFacts::Access& facts);

/// The claim that kube-scheduler makes for the extended resources `served`, which are sorted.
PendingClaim claim_for_resources(const Pod& pod, const std::vector<std::string_view>& served,
                                 const DeviceClasses& classes);

}  // namespace devices
}  // namespace cnsched::sim
