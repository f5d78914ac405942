#pragma once

#include <cstddef>
#include <string_view>

namespace cnsched {

/// How many places a scan looks at together, and how many bytes of the text a test may look at.
inline constexpr std::size_t kScanBlock = 64;
inline constexpr std::size_t kScanAhead = 8;

/// Where, at `from` or behind it, a block of places begins of which `test` holds for one; else what
/// is left, which is not much longer than a block. `test` takes a pointer and returns 0 or 1 as an
/// unsigned char, without branches: then the compiler asks it of many places at a time, and what is
/// rare in a text is found at the speed of memory.
template <typename Test>
std::size_t skip_blocks(std::string_view text, std::size_t from, Test test) {
  for (; from + kScanBlock + kScanAhead <= text.size(); from += kScanBlock) {
    const char* block = text.data() + from;
    unsigned char any = 0;
    for (std::size_t i = 0; i < kScanBlock; ++i) any |= test(block + i);
    if (any != 0) break;
  }
  return from;
}

}  // namespace cnsched
