#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace cnsched {

/// The number of bytes after a position that a test may read.
inline constexpr std::size_t kScanAhead = 8;

/// The first position at or after `from` for which `test` and `confirm` are true, or npos.
/// `test` takes a pointer to the position and returns 0 or 1 as an unsigned char, without branches,
/// so that the compiler vectorizes it. It reads blanks after the end of the text. `confirm` takes
/// the position and is called in order.
template <typename Test, typename Confirm>
std::size_t scan(std::string_view text, std::size_t from, Test test, Confirm confirm) {
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
    std::array<unsigned char, kBlock> hits;
    for (std::size_t i = 0; i < kBlock; ++i) hits[i] = test(block + i);
    const std::size_t end = std::min(kBlock, text.size() - from);
    for (std::size_t word = 0; word < end; word += sizeof(std::uint64_t)) {
      std::uint64_t eight = 0;
      std::memcpy(&eight, &hits[word], sizeof(eight));
      if (eight == 0) continue;
      for (std::size_t i = word; i < std::min(word + sizeof(eight), end); ++i) {
        if (hits[i] != 0 && confirm(from + i)) return from + i;
      }
    }
  }
  return std::string_view::npos;
}

/// A set of bytes to search for in long texts. std::string_view::find_first_of calls memchr for
/// each byte of the text; this looks each byte up in a table.
class CharSet {
 public:
  consteval explicit CharSet(std::string_view members) {
    for (const char c : members) has_[static_cast<unsigned char>(c)] = true;
  }

  constexpr bool has(char c) const { return has_[static_cast<unsigned char>(c)]; }

  // All return npos if there is no match, like those of std::string_view.
  constexpr std::size_t find_first_in(std::string_view text, std::size_t from = 0) const {
    return forward(text, from, true);
  }
  constexpr std::size_t find_first_not_in(std::string_view text, std::size_t from = 0) const {
    return forward(text, from, false);
  }
  constexpr std::size_t find_last_in(std::string_view text) const { return backward(text, true); }
  constexpr std::size_t find_last_not_in(std::string_view text) const {
    return backward(text, false);
  }

 private:
  static constexpr std::size_t kNone = std::string_view::npos;

  constexpr std::size_t forward(std::string_view text, std::size_t from, bool wanted) const {
    for (; from < text.size(); ++from) {
      if (has(text[from]) == wanted) return from;
    }
    return kNone;
  }
  constexpr std::size_t backward(std::string_view text, bool wanted) const {
    for (std::size_t end = text.size(); end > 0; --end) {
      if (has(text[end - 1]) == wanted) return end - 1;
    }
    return kNone;
  }

  std::array<bool, 256> has_{};
};

inline constexpr CharSet kLineEnds("\r\n");
/// The bytes that separate tokens in YAML.
inline constexpr CharSet kBlanksAndLineEnds(" \t\r\n");

}  // namespace cnsched
