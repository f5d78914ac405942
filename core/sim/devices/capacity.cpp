// Source: k8s.io/dynamic-resource-allocation 0.36, structured/internal/incubating
// consumable_capacity.go.

#include "core/sim/devices/capacity.h"

#include <algorithm>
#include <limits>
#include <string>

namespace cnsched::sim::devices {

namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

Quantity whole(std::int64_t value) {
  const auto quantity = Quantity::parse(std::to_string(value));
  return quantity ? *quantity : Quantity();
}

/// Saturates: input may hold any amount.
std::int64_t difference(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  return __builtin_sub_overflow(a, b, &result) ? kMost : result;
}

/// `requested`, or the least amount of the range that contains it.
Quantity rounded_up(const Quantity& requested, const Capacity& capacity) {
  if (requested < *capacity.min) return *capacity.min;
  if (!capacity.step || capacity.step->value() == 0) return requested;
  const std::int64_t step = capacity.step->value();
  const std::int64_t min = capacity.min->value();
  const std::int64_t added = difference(requested.value(), min);
  const std::int64_t steps = added / step + (added % step != 0 ? 1 : 0);
  std::int64_t sum = 0;
  if (__builtin_mul_overflow(step, steps, &sum) || __builtin_add_overflow(min, sum, &sum)) {
    return whole(kMost);
  }
  return whole(sum);
}

Quantity consumed_of(const Capacity& capacity, const Quantity* requested) {
  if (requested == nullptr) return capacity.standard.value_or(capacity.value);
  if (capacity.has_range && capacity.min) return rounded_up(*requested, capacity);
  const auto least = std::ranges::find_if(
      capacity.valid_values, [&](const Quantity& valid) { return *requested <= valid; });
  return least == capacity.valid_values.end() ? *requested : *least;
}

/// Whether requestPolicy forbids that amount.
bool is_forbidden(const Quantity& amount, const Capacity& capacity) {
  if (capacity.standard && amount == *capacity.standard) return false;
  if (capacity.has_range) {
    if (capacity.max && amount > *capacity.max) return true;
    if (!capacity.step || capacity.step->value() == 0) return false;
    const std::int64_t min = capacity.min ? capacity.min->value() : 0;
    return difference(amount.value(), min) % capacity.step->value() != 0;
  }
  return !capacity.valid_values.empty() &&
         std::ranges::find(capacity.valid_values, amount) == capacity.valid_values.end();
}

}  // namespace

const Quantity* amount_in(const NamedQuantities& amounts, std::string_view name) {
  const auto found = std::ranges::find(amounts, name, &NamedQuantities::value_type::first);
  return found == amounts.end() ? nullptr : &found->second;
}

void add_amounts(const NamedQuantities& more, NamedQuantities& amounts) {
  for (const auto& [name, amount] : more) {
    const auto found = std::ranges::find(amounts, name, &NamedQuantities::value_type::first);
    if (found == amounts.end()) {
      amounts.emplace_back(name, amount);
    } else {
      found->second += amount;
    }
  }
}

void subtract_amounts(const NamedQuantities& less, NamedQuantities& amounts) {
  for (const auto& [name, amount] : less) {
    const auto found = std::ranges::find(amounts, name, &NamedQuantities::value_type::first);
    if (found != amounts.end()) found->second += -amount;
  }
}

NamedQuantities consumed_by(const NamedQuantities& requested, const Device& device) {
  NamedQuantities consumed;
  for (const Capacity& capacity : device.capacities) {
    consumed.emplace_back(capacity.name,
                          consumed_of(capacity, amount_in(requested, capacity.name)));
  }
  return consumed;
}

bool has_capacity_for(const NamedQuantities& requested, const Device& device,
                      const NamedQuantities* used, const NamedQuantities* more) {
  const auto is_defined = [&](const auto& each) {
    return std::ranges::find(device.capacities, each.first, &Capacity::name) !=
           device.capacities.end();
  };
  if (!std::ranges::all_of(requested, is_defined)) return false;
  return std::ranges::all_of(device.capacities, [&](const Capacity& capacity) {
    Quantity total = consumed_of(capacity, amount_in(requested, capacity.name));
    if (is_forbidden(total, capacity)) return false;
    for (const NamedQuantities* other : {used, more}) {
      const Quantity* amount = other == nullptr ? nullptr : amount_in(*other, capacity.name);
      if (amount != nullptr) total += *amount;
    }
    return total <= capacity.value;
  });
}

}  // namespace cnsched::sim::devices
