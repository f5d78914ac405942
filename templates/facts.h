#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "core/base/arena.h"
#include "core/base/result.h"
#include "core/yaml/node.h"

namespace cnsched::templates {

/// The values of placeholders by name. A missing one has no value.
using Values = std::map<std::string, const yaml::Node*, std::less<>>;

/// The value of that name, or a missing node.
const yaml::Node& value_of(const Values& values, std::string_view name);

/// The names of the facts from the catalogue for a template with a platform and accelerators:
/// "accelerator.resource", …
std::span<const std::string_view> fact_names();
/// The parameters that the facts depend on: "platform", "accelerator", …
std::span<const std::string_view> fact_inputs();

/// The default number of accelerators of a pod: one, or all of a host where the platform only
/// allocates whole hosts.
std::int64_t usual_count(const Values& values);

/// Adds the facts for `values["platform"]` and `values["accelerator"]` (or the list
/// `values["accelerators"]`). Fails if the platform has no such accelerator.
Result<Values> with_facts(Values values, Arena& arena);

}  // namespace cnsched::templates
