#pragma once

#include <algorithm>
#include <cstdint>

namespace cnsched {

/// Whether something is so, as far as is known: Kleene's logic. Ordered, so that `and` is the
/// lesser of two and `or` the greater.
enum class Truth : std::uint8_t { no, unknown, yes };

constexpr Truth truth_of(bool is_true) { return is_true ? Truth::yes : Truth::no; }

// Unlike those of bool, both operands of these are evaluated, so they are not && and ||.
constexpr Truth operator!(Truth a) { return a == Truth::unknown ? a : truth_of(a == Truth::no); }
constexpr Truth operator&(Truth a, Truth b) { return std::min(a, b); }
constexpr Truth operator|(Truth a, Truth b) { return std::max(a, b); }
constexpr Truth& operator&=(Truth& a, Truth b) { return a = a & b; }
constexpr Truth& operator|=(Truth& a, Truth b) { return a = a | b; }

/// Whether `of` is true of every item. Asks no further after the first of which it is false.
template <typename Items, typename Of>
constexpr Truth truth_of_all(const Items& items, Of of) {
  Truth all = Truth::yes;
  for (const auto& item : items) {
    all &= of(item);
    if (all == Truth::no) break;
  }
  return all;
}

/// Whether `of` is true of some item. Asks no further after the first of which it is true.
template <typename Items, typename Of>
constexpr Truth truth_of_any(const Items& items, Of of) {
  return !truth_of_all(items, [&](const auto& item) { return !of(item); });
}

}  // namespace cnsched
