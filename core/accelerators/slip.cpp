#include "core/accelerators/slip.h"

#include <algorithm>
#include <string>

#include "core/base/suggest.h"
#include "core/base/text.h"

namespace cnsched::accelerators {

namespace {

constexpr std::size_t kShortest = 4;  ///< of fewer letters, one makes another word
constexpr std::size_t kLongest = 128;

std::string digits_in(std::string_view text) {
  std::string digits;
  std::ranges::copy_if(text, std::back_inserter(digits),
                       [](char c) { return c >= '0' && c <= '9'; });
  return digits;
}

bool is_near(std::string_view word, std::string_view candidate) {
  const std::size_t longer = std::max(word.size(), candidate.size());
  const std::size_t shorter = std::min(word.size(), candidate.size());
  if (shorter < kShortest || longer > kLongest || longer - shorter > 1) return false;
  return digits_in(word) == digits_in(candidate) && edit_distance(word, candidate) <= 1;
}

}  // namespace

std::string_view slip_of(std::string_view word, const std::vector<std::string_view>& candidates) {
  if (std::ranges::find(candidates, word) != candidates.end()) return {};
  for (const std::string_view candidate : candidates) {
    if (equals_ignoring_case(word, candidate)) return candidate;
  }
  const auto near = std::ranges::find_if(
      candidates, [&](std::string_view candidate) { return is_near(word, candidate); });
  return near == candidates.end() ? std::string_view() : *near;
}

}  // namespace cnsched::accelerators
