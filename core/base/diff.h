#pragma once

#include <algorithm>
#include <cstddef>
#include <ranges>
#include <string>
#include <string_view>

namespace cnsched {

/// How much two texts, or lists of lines, have in common at their beginning and, after that, at
/// their end.
struct CommonEnds {
  std::size_t begin = 0;
  std::size_t end = 0;
};
template <std::ranges::random_access_range List>
CommonEnds common_ends(const List& a, const List& b) {
  CommonEnds same;
  same.begin = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
  const std::size_t most = std::min(a.size(), b.size()) - same.begin;
  while (same.end < most && a[a.size() - same.end - 1] == b[b.size() - same.end - 1]) ++same.end;
  return same;
}

/// The output of `diff -u`: three lines of context, line breaks kept, `\ No newline at end of
/// file`; empty if the texts are equal. `patch` and `git apply` accept it. For a file that does not
/// exist before or after, the name is /dev/null and the text empty.
std::string unified_diff(std::string_view before, std::string_view after,
                         std::string_view before_name, std::string_view after_name);

}  // namespace cnsched
