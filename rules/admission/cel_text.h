#pragma once

#include <string>
#include <string_view>

namespace cnsched::rules {

// Pieces of CEL as text.

inline constexpr std::string_view kCelTrue = "true";
inline constexpr std::string_view kCelFalse = "false";

// Conditions, shortened where one is constant.
std::string cel_and(const std::string& a, const std::string& b);
std::string cel_or(const std::string& a, const std::string& b);
std::string cel_not(const std::string& a);

/// `text` as a literal of CEL; bytes that are not UTF-8 become U+FFFD.
std::string cel_string(std::string_view text);

/// "['a', 'b']"
template <typename Texts>
std::string cel_strings(const Texts& texts) {
  std::string list;
  for (const auto& text : texts) list += (list.empty() ? "" : ", ") + cel_string(text);
  return "[" + list + "]";
}

}  // namespace cnsched::rules
