#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cnsched::test {

/// xorshift64*: the same numbers on every platform.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : state_(seed * 2654435769U + 1) {}

  std::size_t below(std::size_t n) {
    state_ ^= state_ >> 12U;
    state_ ^= state_ << 25U;
    state_ ^= state_ >> 27U;
    return (state_ * 2685821657736338717U >> 33U) % n;
  }
  bool one_in(std::size_t n) { return below(n) == 0; }
  std::string any_of(const std::vector<std::string>& texts) { return texts[below(texts.size())]; }

 private:
  std::uint64_t state_;
};

}  // namespace cnsched::test
