#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/k8s/pod_spec.h"

namespace cnsched::accelerators {

/// An accelerator that a pod asks for.
struct AskedDevice {
  std::string_view name;
  std::int64_t amount = 0;           ///< in all; 0 where it cannot be read
  const yaml::Node* node = nullptr;  ///< the amount of the first container that asks
};

/// The accelerators of the pod, in the order in which its containers first ask for them. What an
/// init container asks for is given back before the others start.
std::vector<AskedDevice> devices_asked_by(const k8s::PodSpec& pod);

}  // namespace cnsched::accelerators
