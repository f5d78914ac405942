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

/// What takes the place of each placeholder, by name. What is missing has no value.
using Values = std::map<std::string, const yaml::Node*, std::less<>>;

/// The names of what the catalogue tells a template that has a platform and accelerators:
/// "accelerator.resource", …
std::span<const std::string_view> fact_names();
/// The parameters that these depend on: "platform", "accelerator", …
std::span<const std::string_view> fact_inputs();

/// How many of the accelerators in `values` a pod asks for if nothing is said: one, or as many as a
/// host has where the platform gives hosts whole.
std::int64_t usual_count(const Values& values);

/// Adds what the catalogue tells of `values["platform"]` and `values["accelerator"]` (or the list
/// `values["accelerators"]`). Fails if the platform has no such accelerator.
Result<Values> with_facts(Values values, Arena& arena);

}  // namespace cnsched::templates
