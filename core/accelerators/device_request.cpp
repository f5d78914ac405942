#include "core/accelerators/device_request.h"

#include <algorithm>
#include <unordered_set>

#include "core/accelerators/catalogue.h"
#include "core/k8s/pod_resources.h"

namespace cnsched::accelerators {

namespace {

/// No node has more devices than the upper limit.
constexpr std::int64_t kMaxUnits = 1'000'000;

}  // namespace

std::vector<DeviceRequest> device_requests(const k8s::PodSpec& pod) {
  std::vector<DeviceRequest> devices;
  std::unordered_set<std::string_view> names;
  const auto add = [&](const k8s::Container& container) {
    for (const k8s::ResourceAmount& amount : container.amounts()) {
      if (!is_accelerator(amount.name) || !amount.is_requested()) continue;
      if (names.insert(amount.name).second) devices.push_back({amount.name, 0, amount.node});
    }
  };
  for (const k8s::Container& container : pod.containers()) add(container);
  for (const k8s::Container& container : pod.init_containers()) add(container);
  if (devices.empty()) return devices;
  const std::vector<k8s::ResourceTotal> totals = k8s::total_requests(pod);
  for (DeviceRequest& device : devices) {
    const auto total = std::ranges::find(totals, device.name, &k8s::ResourceTotal::name);
    if (total == totals.end()) continue;
    device.amount = std::clamp<std::int64_t>(total->quantity.value(), 0, kMaxUnits);
  }
  return devices;
}

const yaml::Node* first_accelerator_amount(const k8s::Container& container) {
  for (const k8s::ResourceAmount& amount : container.amounts()) {
    if (is_accelerator(amount.name) && amount.is_known_positive()) return amount.node;
  }
  return nullptr;
}

bool sees_devices_without_request(const k8s::Container& container) {
  return bool(k8s::item_named((*container.node)["env"], "NVIDIA_VISIBLE_DEVICES"));
}

bool has_device_access(const k8s::Container& container) {
  return container.requests_resource(k8s::is_extended_resource) ||
         !(*container.node)["resources"]["claims"].is_empty() ||
         sees_devices_without_request(container);
}

}  // namespace cnsched::accelerators
