#pragma once

#include <string_view>

namespace cnsched::k8s::schema {

/// A syntax that a text is held to, as the tables name it.
struct Format {
  std::string_view name;  ///< "dns-1123-label"
  std::string_view
      words;  ///< what a text of it is made of: "lower case letters, digits and '-', …"
  bool (*fits)(std::string_view text);
};

/// Null if there is none of that name.
const Format* find_format(std::string_view name);

}  // namespace cnsched::k8s::schema
