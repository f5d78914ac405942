#pragma once

#include <string_view>
#include <vector>

namespace cnsched::accelerators {

/// The candidate that `word` was surely meant to be: written in another case, or with a letter too
/// many, too few, wrong, or swapped. Never with another digit: names of cards and sizes are
/// neighbours. Empty if there is none, or if `word` is a candidate itself.
std::string_view slip_of(std::string_view word, const std::vector<std::string_view>& candidates);

}  // namespace cnsched::accelerators
