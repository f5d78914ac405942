#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/k8s/pod_spec.h"

namespace cnsched::accelerators {

/// An accelerator that a pod requests.
struct DeviceRequest {
  std::string_view name;             ///< of the resource
  std::int64_t amount = 0;           ///< of the whole pod; 0 where it cannot be read
  const yaml::Node* node = nullptr;  ///< the amount of the first container that requests it
};

/// The accelerators of the pod, in the order in which its containers first request them, init
/// containers last.
std::vector<DeviceRequest> device_requests(const k8s::PodSpec& pod);

/// The amount of the first accelerator that the container certainly requests, which excludes
/// placeholders; its `key` is the name. Null if there is none.
const yaml::Node* first_accelerator_amount(const k8s::Container& container);

/// Whether the container sees devices without a request: NVIDIA's container runtime reads the
/// variable NVIDIA_VISIBLE_DEVICES.
bool sees_devices_without_request(const k8s::Container& container);

/// Whether the container has access to a device by an extended resource, a claim or that variable.
bool has_device_access(const k8s::Container& container);

}  // namespace cnsched::accelerators
