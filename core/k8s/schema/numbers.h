#pragma once

#include <cstdint>
#include <optional>

#include "core/yaml/node.h"

namespace cnsched::k8s::schema {

/// The whole number that reaches the API server: 1.0 and 1e3 are whole. Nothing for other scalars.
std::optional<std::int64_t> whole_number(const yaml::Node& scalar);

/// The number that reaches the API server. Nothing for other scalars.
std::optional<double> number_of(const yaml::Node& scalar);

}  // namespace cnsched::k8s::schema
