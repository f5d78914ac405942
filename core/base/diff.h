#pragma once

#include <string>
#include <string_view>

namespace cnsched {

/// The output of `diff -u`: three lines of context, line breaks kept, `\ No newline at end of
/// file`; empty if the texts are equal. `patch` and `git apply` accept it. For a file that does not
/// exist before or after, the name is /dev/null and the text empty.
std::string unified_diff(std::string_view before, std::string_view after,
                         std::string_view before_name, std::string_view after_name);

}  // namespace cnsched
