#pragma once

#include <string>
#include <string_view>

namespace cnsched {

/// What `diff -u` prints: three lines of context, line ends kept, `\ No newline at end of file`;
/// nothing if the texts are equal. `patch` and `git apply` read it; where there is no file before
/// or after, its name is /dev/null and its text empty.
std::string unified_diff(std::string_view before, std::string_view after,
                         std::string_view before_name, std::string_view after_name);

}  // namespace cnsched
