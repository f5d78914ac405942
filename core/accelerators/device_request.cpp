#include "core/accelerators/device_request.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/accelerators/catalogue.h"
#include "core/base/quantity.h"

namespace cnsched::accelerators {

namespace {

/// The number of devices; 0 if it cannot be read. No node has more than the upper limit.
std::int64_t units(const yaml::Node& amount) {
  constexpr std::int64_t kMaxUnits = 1'000'000;
  const auto quantity = Quantity::parse(amount.text());
  return quantity ? std::clamp<std::int64_t>(quantity->value(), 0, kMaxUnits) : 0;
}

class Sum {
 public:
  void add(const k8s::Container& container, bool is_released) {
    std::unordered_set<std::string_view> limited;
    for (const k8s::ResourceAmount& amount : container.amounts()) {
      // The request must equal the limit.
      if (!is_accelerator(amount.name) || !limited.insert(amount.name).second) continue;
      if (amount.is_requested()) add(amount, is_released);
    }
  }

  std::vector<DeviceRequest> devices;

 private:
  void add(const k8s::ResourceAmount& amount, bool is_released) {
    const auto [place, is_new] = index_of_.try_emplace(amount.name, devices.size());
    if (is_new) devices.push_back({amount.name, 0, amount.node});
    std::int64_t& sum = devices[place->second].amount;
    sum = is_released ? std::max(sum, units(*amount.node)) : sum + units(*amount.node);
  }

  std::unordered_map<std::string_view, std::size_t> index_of_;
};

}  // namespace

std::vector<DeviceRequest> device_requests(const k8s::PodSpec& pod) {
  Sum sum;
  const auto is_sidecar = [](const k8s::Container& container) {
    return (*container.node)["restartPolicy"].text() == "Always";
  };
  for (const k8s::Container& container : pod.containers()) sum.add(container, false);
  for (const k8s::Container& container : pod.init_containers()) {
    if (is_sidecar(container)) sum.add(container, false);
  }
  for (const k8s::Container& container : pod.init_containers()) {
    if (!is_sidecar(container)) sum.add(container, true);
  }
  return sum.devices;
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
