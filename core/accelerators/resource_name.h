#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/k8s/pod_spec.h"

namespace cnsched::accelerators {

/// Why no container gets a resource of this name.
struct NameProblem {
  std::string reason;       ///< "no device plugin advertises it"
  std::string replacement;  ///< the probable name; may be empty
  bool is_guess = false;    ///< `replacement` is one of several possible names
  bool rejected = false;    ///< the API server rejects the pod; otherwise it stays Pending
};

/// What is wrong with the name of a resource that a container requests, or nothing. Only
/// misspellings of known names and names known not to exist are problems: device plugins may choose
/// any other.
std::optional<NameProblem> resource_name_problem(std::string_view name);

/// A name that users write and that no plugin advertises.
struct MisnamedResource {
  std::string_view name;
  std::string_view instead;
  bool is_guess = false;  ///< other names are possible too
};
std::span<const MisnamedResource> misnamed_resources();
/// The names whose misspellings are problems.
std::span<const std::string_view> advertised_names();

/// Whether the pod requests an accelerator in a way that gets it none: by a wrong name, or for the
/// pod as a whole.
bool requests_unobtainable(const k8s::PodSpec& pod);

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
