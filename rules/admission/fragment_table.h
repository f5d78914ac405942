#pragma once

#include <span>
#include <string_view>

namespace cnsched::rules {

/// A function: `$1` in the text is its first argument.
struct Fragment {
  std::string_view name;
  std::string_view text;
};

/// The fragments that expressions of rules call like functions.
std::span<const Fragment> fragments();
/// The fields of `pod`, made from the pod spec `m[name]` of the object `o`.
std::span<const Fragment> pod_fields();

}  // namespace cnsched::rules
