#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/yaml/node.h"

namespace cnsched::k8s::schema {

/// A syntax of strings that the tables name.
struct Format {
  std::string_view name;   ///< "dns-1123-label"
  std::string_view words;  ///< its description: "lower case letters, digits and '-', …"
  bool (*fits)(std::string_view text);
};

/// The format of that name, or null.
const Format* find_format(std::string_view name);

/// The whole number that reaches the API server: 1.0 and 1e3 are whole. Nothing for other scalars.
std::optional<std::int64_t> whole_number(const yaml::Node& scalar);

/// The number that reaches the API server. Nothing for other scalars.
std::optional<double> number_of(const yaml::Node& scalar);

}  // namespace cnsched::k8s::schema
