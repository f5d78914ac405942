#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace cnsched {

/// How many bytes behind a place a test of it may look at.
inline constexpr std::size_t kScanAhead = 8;

/// The first place, at `from` or behind it, for which `test` holds and which `is_it`; npos if there
/// is none. `test` takes a pointer to the place and returns 0 or 1 as an unsigned char, without
/// branches: then the compiler asks it of many places at a time, and what is rare in a text is
/// found at the speed of memory. Behind the text it sees blanks. `is_it` takes the place, and is
/// asked in order.
template <typename Test, typename IsIt>
std::size_t scan(std::string_view text, std::size_t from, Test test, IsIt is_it) {
  constexpr std::size_t kBlock = 64;
  std::array<char, kBlock + kScanAhead> rest;
  for (; from < text.size(); from += kBlock) {
    const char* block = text.data() + from;
    if (text.size() - from < rest.size()) {
      rest.fill(' ');
      text.copy(rest.data(), rest.size(), from);
      block = rest.data();
    }
    unsigned char any = 0;
    for (std::size_t i = 0; i < kBlock; ++i) any |= test(block + i);
    if (any == 0) continue;
    std::array<unsigned char, kBlock> holds;
    for (std::size_t i = 0; i < kBlock; ++i) holds[i] = test(block + i);
    const std::size_t end = std::min(kBlock, text.size() - from);
    for (std::size_t word = 0; word < end; word += sizeof(std::uint64_t)) {
      std::uint64_t eight = 0;
      std::memcpy(&eight, &holds[word], sizeof(eight));
      if (eight == 0) continue;
      for (std::size_t i = word; i < std::min(word + sizeof(eight), end); ++i) {
        if (holds[i] != 0 && is_it(from + i)) return from + i;
      }
    }
  }
  return std::string_view::npos;
}

}  // namespace cnsched
