#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace cnsched {

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
  constexpr std::size_t find_last_in(std::string_view text, std::size_t from = kNone) const {
    return backward(text, from, true);
  }
  constexpr std::size_t find_last_not_in(std::string_view text, std::size_t from = kNone) const {
    return backward(text, from, false);
  }

 private:
  static constexpr std::size_t kNone = std::string_view::npos;

  constexpr std::size_t forward(std::string_view text, std::size_t from, bool wanted) const {
    for (; from < text.size(); ++from) {
      if (has(text[from]) == wanted) return from;
    }
    return kNone;
  }
  /// The last match at or before `from`.
  constexpr std::size_t backward(std::string_view text, std::size_t from, bool wanted) const {
    for (std::size_t end = from < text.size() ? from + 1 : text.size(); end > 0; --end) {
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
