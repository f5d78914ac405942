#include "core/change/totals.h"

#include <algorithm>

#include "core/accelerators/product.h"
#include "core/base/text.h"
#include "core/change/replicas.h"

namespace cnsched::change {

namespace {

constexpr double kMilli = 1000;

void add(Range& sum, double amount, const Replicas& replicas) {
  sum.min += amount * static_cast<double>(replicas.min);
  sum.max += amount * static_cast<double>(replicas.max);
}

double amount_of(const sim::Simulated& pod, std::string_view resource) {
  const k8s::Request* request = pod.pod.request(resource);
  return request == nullptr ? 0 : static_cast<double>(request->amount);
}

/// Whether both name one product: "NVIDIA-L4" and "nvidia-l4".
bool is_same_product(std::string_view a, std::string_view b) {
  if (equals_ignoring_case(a, b)) return true;
  const accelerators::Product* product = accelerators::product_named(a);
  return product != nullptr && product == accelerators::product_named(b);
}

std::optional<double> price_of(const AcceleratorKind& kind, const Prices& prices) {
  const auto of_resource = prices.find(kind.resource);
  if (of_resource == prices.end()) return std::nullopt;
  for (const auto& [product, price] : of_resource->second) {
    if (is_same_product(product, kind.product)) return price;
  }
  return std::nullopt;
}

}  // namespace

double Totals::accelerators_of(std::string_view resource) const {
  double sum = 0;
  for (const auto& [kind, range] : accelerators) {
    if (kind.resource == resource) sum += range.max;
  }
  return sum;
}

Totals totals_of(const sim::Simulation& simulation, Verdicts& verdicts) {
  Totals totals;
  for (std::size_t i = 0; i < simulation.workloads().size(); ++i) {
    const sim::Simulated& pod = simulation.workloads()[i];
    if (pod.workload->never_created) continue;
    const Replicas replicas = replicas_of(pod);
    add(totals.pods, 1, replicas);
    add(totals.cpu, amount_of(pod, "cpu") / kMilli, replicas);
    add(totals.memory, amount_of(pod, "memory"), replicas);
    for (const Devices& devices : verdicts.devices_of(i)) {
      const bool is_one = devices.products.size() == 1;
      AcceleratorKind kind{std::string(devices.resource),
                           is_one ? *devices.products.begin() : std::string(),
                           std::string(devices.pool)};
      add(totals.accelerators[std::move(kind)], static_cast<double>(devices.count), replicas);
    }
  }
  return totals;
}

std::optional<Cost> cost_of(const Totals& totals, const Prices& prices) {
  if (prices.empty()) return std::nullopt;
  Cost cost;
  for (const auto& [kind, range] : totals.accelerators) {
    if (const auto price = price_of(kind, prices)) {
      cost.per_hour.min += range.min * *price;
      cost.per_hour.max += range.max * *price;
    } else {
      cost.unpriced.push_back(kind);
    }
  }
  return cost;
}

}  // namespace cnsched::change
