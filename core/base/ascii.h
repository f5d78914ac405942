#pragma once

// Classes of ASCII characters, independent of the locale.

namespace cnsched {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_lower_alphanumeric(char c) { return (c >= 'a' && c <= 'z') || is_digit(c); }
constexpr bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
constexpr bool is_alphanumeric(char c) {
  return is_lower_alphanumeric(c) || (c >= 'A' && c <= 'Z');
}

}  // namespace cnsched
