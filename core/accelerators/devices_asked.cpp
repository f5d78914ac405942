#include "core/accelerators/devices_asked.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/accelerators/catalogue.h"
#include "core/k8s/quantity.h"

namespace cnsched::accelerators {

namespace {

/// How many units are asked for; what cannot be read is 0, and more than any node has is so many.
std::int64_t units(const yaml::Node& amount) {
  constexpr std::int64_t kMost = 1'000'000;
  const auto quantity = k8s::Quantity::parse(amount.text());
  return quantity ? std::clamp<std::int64_t>(quantity->value(), 0, kMost) : 0;
}

class Sum {
 public:
  void add(const k8s::Container& container, bool given_back) {
    std::unordered_set<std::string_view> limited;
    for (const k8s::ResourceAmount& amount : container.amounts()) {
      // The limit is what the request has to equal.
      if (!is_accelerator(amount.name) || !limited.insert(amount.name).second) continue;
      if (amount.is_wanted()) add(amount, given_back);
    }
  }

  std::vector<AskedDevice> devices;

 private:
  void add(const k8s::ResourceAmount& amount, bool given_back) {
    const auto [place, is_new] = place_of_.try_emplace(amount.name, devices.size());
    if (is_new) devices.push_back({amount.name, 0, amount.node});
    std::int64_t& sum = devices[place->second].amount;
    sum = given_back ? std::max(sum, units(*amount.node)) : sum + units(*amount.node);
  }

  std::unordered_map<std::string_view, std::size_t> place_of_;
};

}  // namespace

std::vector<AskedDevice> devices_asked_by(const k8s::PodSpec& pod) {
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

}  // namespace cnsched::accelerators
