#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cnsched {

/// How many insertions, deletions, substitutions and swaps of neighbours lead from `a` to `b`
/// (optimal string alignment), ignoring case.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// "Did you mean": the candidate nearest to `word`, if one is near enough for `word` to be a slip
/// of it (at most a third of its letters), or begins with it. The first of equals.
std::optional<std::string_view> nearest(std::string_view word,
                                        const std::vector<std::string_view>& candidates);

/// `nearest`, if hardly anything else can have been meant: no other candidate is about as near, and
/// the two differ by no more than separators, or within words that are long enough for a slip and
/// hold the same digits. In a short word each letter counts: gpu-1 is no slip of gpu-2, nor of
/// cpu-1.
std::optional<std::string_view> surely_meant(std::string_view word,
                                             const std::vector<std::string_view>& candidates);

/// ", did you mean 'x'?" or nothing: to be appended to a message.
std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& candidates);

}  // namespace cnsched
