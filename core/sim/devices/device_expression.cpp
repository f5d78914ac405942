// Selectors of devices. Source: k8s.io/dynamic-resource-allocation 0.36, cel/compile.go,
// DeviceMatches: `device` has driver, allowMultipleAllocations, attributes and capacity; the latter
// two are maps by domain, in which an unknown domain is an empty map.

#include "core/sim/devices/device_expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "core/base/text.h"

namespace cnsched::sim::devices {

namespace {

using cel::Value;

Value empty_map() {
  return std::shared_ptr<const cel::Map>(std::make_shared<const cel::BuiltMap>());
}

/// The attributes or capacities of a device by domain.
class DomainMap : public cel::BuiltMap {
 public:
  std::optional<Value> find(const Value& key) const override {
    auto found = cel::BuiltMap::find(key);
    return found ? found : std::optional(empty_map());
  }
  bool has(const Value& key) const override { return cel::BuiltMap::find(key).has_value(); }
};

/// Collects values by domain; names without one are in the driver's.
class Domains {
 public:
  explicit Domains(std::string_view driver) : driver_(driver) {}

  void add(std::string_view name, const Value& value) {
    const std::size_t slash = name.find('/');
    const bool has_domain = slash != std::string_view::npos;
    auto& map = maps_[has_domain ? name.substr(0, slash) : driver_];
    if (map == nullptr) map = std::make_shared<cel::BuiltMap>();
    map->insert(cel::Text::view_of(has_domain ? name.substr(slash + 1) : name), value);
  }
  Value value() const {
    const auto all = std::make_shared<DomainMap>();
    for (const auto& [domain, map] : maps_) {
      all->insert(cel::Text::view_of(domain), std::shared_ptr<const cel::Map>(map));
    }
    return std::shared_ptr<const cel::Map>(all);
  }

 private:
  std::string_view driver_;
  std::map<std::string_view, std::shared_ptr<cel::BuiltMap>> maps_;
};

Value attribute_value(const Attribute& attribute) {
  switch (attribute.type) {
    case Attribute::Type::string:
      return cel::Text::view_of(attribute.text);
    case Attribute::Type::integer:
      return attribute.integer;
    case Attribute::Type::boolean:
      return attribute.boolean;
    case Attribute::Type::version:
      return cel::semver_value(attribute.text);
    case Attribute::Type::unsupported:
      break;
  }
  return Value::error("unsupported attribute value");
}

/// The device, or the error of an attribute that cannot be read.
Value device_value(const Device& device, std::string_view driver) {
  Domains attributes(driver);
  for (const Attribute& attribute : device.attributes) {
    const Value value = attribute_value(attribute);
    if (value.is_failure()) {
      return Value::error(
          fmt::format("attribute {}: {}", printable(attribute.name), value.message()));
    }
    attributes.add(attribute.name, value);
  }
  Domains capacities(driver);
  for (const Capacity& capacity : device.capacities) {
    capacities.add(capacity.name, cel::quantity_value(capacity.value.canonical()));
  }
  const auto value = std::make_shared<cel::BuiltMap>();
  value->insert(cel::Text::view_of("driver"), cel::Text::view_of(driver));
  value->insert(cel::Text::view_of("allowMultipleAllocations"), device.allows_multiple);
  value->insert(cel::Text::view_of("attributes"), attributes.value());
  value->insert(cel::Text::view_of("capacity"), capacities.value());
  return std::shared_ptr<const cel::Map>(value);
}

}  // namespace

std::uint32_t DeviceExpressions::add(std::string_view expression) {
  const auto [found, is_new] =
      numbers_.try_emplace(expression, static_cast<std::uint32_t>(compiled_.size()));
  if (is_new) compiled_.push_back({.text = expression});
  return found->second;
}

void DeviceExpressions::compile(Compiled& compiled) {
  compiled.is_compiled = true;
  compiled.program = cel::compile(compiled.text);
  if (compiled.program) return;
  compiled.syntax_error = {Selection::Kind::error,
                           fmt::format("CEL compile error: compilation failed: {}",
                                       printable(compiled.program.error.message))};
}

const Selection& DeviceExpressions::selects(std::uint32_t expression, const Device& device,
                                            std::string_view driver) {
  Compiled& compiled = compiled_[expression];
  if (!compiled.is_compiled) compile(compiled);
  if (!compiled.program) return compiled.syntax_error;
  const auto cached = compiled.by_model.find(device.model);
  if (cached != compiled.by_model.end()) return cached->second;
  return compiled.by_model.emplace(device.model, evaluate(compiled, device, driver)).first->second;
}

const Value& DeviceExpressions::value_of(const Device& device, std::string_view driver) {
  const auto found = values_.find(device.model);
  if (found != values_.end()) return found->second;
  return values_.emplace(device.model, device_value(device, driver)).first->second;
}

Selection DeviceExpressions::evaluate(const Compiled& compiled, const Device& device,
                                      std::string_view driver) {
  using enum Selection::Kind;
  const Value& value = value_of(device, driver);
  const auto failed = [](std::string_view message) {
    return Selection{error, fmt::format("CEL runtime error: {}", message)};
  };
  if (value.is_failure()) return failed(value.message());
  cel::Budget budget{std::min(cel::Budget::kPerExpression, steps_left_)};
  const std::uint64_t before = budget.steps;
  const cel::Variable variable{"device", value};
  const Value result = compiled.program.program->evaluate({&variable, 1}, budget);
  steps_left_ -= before - budget.steps;
  if (result.is_unknown()) {
    return {unknown,
            fmt::format("a selector of devices is not evaluated: {}", printable(result.message()))};
  }
  if (result.is_error()) return failed(result.message());
  if (!result.is(cel::Kind::boolean)) {
    const std::string_view type = cel::type_name(result);
    return failed(fmt::format(
        "CEL result of type {} could not be converted to bool: unsupported type conversion from "
        "'{}' to bool",
        type, type));
  }
  return {result.get<bool>() ? yes : no, {}};
}

}  // namespace cnsched::sim::devices
