// ResourceClaims and DeviceClasses of resource.k8s.io/v1, v1beta2 and v1beta1 (whose requests have
// the fields of `exactly` themselves), with the defaults of pkg/apis/resource/v1/defaults.go.
#include "core/sim/devices/claims.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string>

#include "core/base/text.h"
#include "core/yaml/scalar.h"

namespace cnsched::sim::devices {

namespace {

using yaml::Node;

std::vector<DeviceSelector> selectors_in(const Node& list, DeviceExpressions& expressions) {
  std::vector<DeviceSelector> selectors;
  for (const Node* item : list.items()) {
    const Node& expression = (*item)["cel"]["expression"];
    const std::string_view text = expression.text();
    selectors.push_back({expression ? &expression : item, text, expressions.add(text)});
  }
  return selectors;
}

DeviceRequest request_in(const Node& node, std::string_view name, const DeviceClasses& classes,
                         DeviceExpressions& expressions) {
  DeviceRequest request{.name = name};
  request.class_name = node["deviceClassName"].text();
  request.device_class = classes.find(request.class_name);
  request.mode = node["allocationMode"].text();
  if (request.mode.empty()) request.mode = "ExactCount";
  const std::int64_t count = yaml::integer_of(node["count"]).value_or(1);
  request.count = std::max<std::int64_t>(count, 1);
  request.admin_access = yaml::boolean_of(node["adminAccess"].text()) == true;
  request.selectors = selectors_in(node["selectors"], expressions);
  for (const Node* each : node["tolerations"].items()) {
    const Node& t = *each;
    request.tolerations.push_back(
        {t["key"].text(), t["operator"].text(), t["value"].text(), t["effect"].text()});
  }
  request.capacity = quantities_in(node["capacity"]["requests"]);
  return request;
}

ClaimRequest claim_request_in(const Node& node, const DeviceClasses& classes,
                              DeviceExpressions& expressions) {
  ClaimRequest request{.name = std::string(node["name"].text())};
  const Node& alternatives = node["firstAvailable"];
  request.has_alternatives = !alternatives.items().empty();
  for (const Node* each : alternatives.items()) {
    request.alternatives.push_back(request_in(*each, (*each)["name"].text(), classes, expressions));
  }
  if (request.has_alternatives) return request;
  const Node& exactly = node["exactly"];
  if (exactly.is_mapping() || node["deviceClassName"]) {
    request.alternatives.push_back(request_in(exactly.is_mapping() ? exactly : node,
                                              node["name"].text(), classes, expressions));
  }
  return request;
}

ClaimConstraint constraint_in(const Node& node) {
  ClaimConstraint constraint;
  for (const Node* request : node["requests"].items()) {
    constraint.requests.push_back(request->text());
  }
  if (node["matchAttribute"]) {
    constraint.kind = ClaimConstraint::Kind::match;
    constraint.attribute = node["matchAttribute"].text();
  } else if (node["distinctAttribute"]) {
    constraint.kind = ClaimConstraint::Kind::distinct;
    constraint.attribute = node["distinctAttribute"].text();
  }
  return constraint;
}

constexpr std::string_view kImplicitPrefix = "deviceclass.resource.kubernetes.io/";

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
  return !capacity.valid_values.empty() && !is_one_of(amount, capacity.valid_values);
}

}  // namespace

/// Source: k8s.io/dynamic-resource-allocation resourceclaim/devicetoleration.go.
bool DeviceToleration::tolerates(const DeviceTaint& taint) const {
  if (!effect.empty() && effect != taint.effect) return false;
  if (!key.empty() && key != taint.key) return false;
  if (op.empty() || op == "Equal") return value == taint.value;
  return op == "Exists";
}

/// Of two classes for one resource, the newer one serves it. The other one then has no implicit
/// resource either if it comes later. Source: k8s.io/dynamic-resource-allocation
/// deviceclass/extendedresourcecache, updateResourceName2class; the informer lists classes by name.
DeviceClasses::DeviceClasses(const std::vector<const k8s::Object*>& objects,
                             DeviceExpressions& expressions) {
  std::set<std::string_view> names;
  for (const k8s::Object* object : objects) {
    if (!names.insert(object->name).second) continue;
    classes_.push_back({.name = object->name,
                        .extended_resource = object->spec()["extendedResourceName"].text(),
                        .created = (*object)["metadata"]["creationTimestamp"].text(),
                        .selectors = selectors_in(object->spec()["selectors"], expressions)});
  }
  std::ranges::sort(classes_, {}, &DeviceClass::name);
  for (const DeviceClass& each : classes_) {
    if (!each.extended_resource.empty()) {
      const DeviceClass*& serving = by_resource_[std::string(each.extended_resource)];
      if (serving != nullptr && each.created <= serving->created) continue;
      serving = &each;
    }
    by_resource_[std::string(kImplicitPrefix) + std::string(each.name)] = &each;
  }
}

const DeviceClass* DeviceClasses::find(std::string_view name) const {
  const auto found = std::ranges::lower_bound(classes_, name, {}, &DeviceClass::name);
  return found == classes_.end() || found->name != name ? nullptr : &*found;
}

const DeviceClass* DeviceClasses::of_resource(std::string_view resource) const {
  const auto found = by_resource_.find(std::string(resource));
  return found == by_resource_.end() ? nullptr : found->second;
}

PendingClaim claim_in(const Node& spec, const DeviceClasses& classes,
                      DeviceExpressions& expressions) {
  PendingClaim claim;
  const Node& devices = spec["devices"];
  for (const Node* request : devices["requests"].items()) {
    claim.requests.push_back(claim_request_in(*request, classes, expressions));
  }
  for (const Node* constraint : devices["constraints"].items()) {
    claim.constraints.push_back(constraint_in(*constraint));
  }
  return claim;
}

// Source: k8s.io/dynamic-resource-allocation 0.36, structured/internal/incubating
// consumable_capacity.go.

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
