#pragma once

#include <string_view>

namespace cnsched::k8s::schema {

/// A syntax of strings that the tables name.
struct Format {
  std::string_view name;   ///< "dns-1123-label"
  std::string_view words;  ///< its description: "lower case letters, digits and '-', …"
  bool (*fits)(std::string_view text);
};

/// The format of that name, or null.
const Format* find_format(std::string_view name);

}  // namespace cnsched::k8s::schema
