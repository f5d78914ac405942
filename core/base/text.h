#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

namespace cnsched {

std::string_view trim(std::string_view text);
std::vector<std::string_view> split(std::string_view text, char separator);
std::string lower(std::string_view text);
bool equals_ignoring_case(std::string_view a, std::string_view b);

/// Whether `value` is one of `values`.
template <typename Value, std::ranges::input_range Values>
bool is_one_of(const Value& value, const Values& values) {
  return std::ranges::find(values, value) != std::ranges::end(values);
}
inline bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

/// The whole number at the start of `text`, which is removed from it; nothing if there is none, or
/// if `Number` (32 or 64 bits) cannot hold it. A minus precedes a negative number; a plus is none.
template <typename Number = std::size_t>
std::optional<Number> take_number(std::string_view& text, int base = 10);
/// The number that all of the text is.
template <typename Number = std::size_t>
std::optional<Number> whole_number(std::string_view text, int base = 10) {
  const std::optional<Number> number = take_number<Number>(text, base);
  return text.empty() ? number : std::nullopt;
}

/// "a", "a and b", "a, b and c"; of more than `most` words "a, b and 7 more".
std::string join_words(const std::vector<std::string>& words, std::string_view last = "and",
                       std::size_t most = std::string_view::npos);
/// "1 object", "2 objects".
std::string count_of(std::size_t n, std::string_view noun);

/// Bytes of the UTF-8 sequence at the start of `text`, or 0 if it is not valid UTF-8 there.
std::size_t utf8_length(std::string_view text);
bool is_utf8(std::string_view text);
/// The UTF-8 sequence of a code point, which must be valid (no surrogate, at most U+10FFFF).
std::string utf8_of(unsigned code_point);
/// The number of code points; an invalid byte counts as one.
std::size_t code_points(std::string_view text);
/// The first `most` code points.
std::string_view first_code_points(std::string_view text, std::size_t most);
/// The same with "…" instead of what is cut.
std::string shortened(std::string_view text, std::size_t most);
/// The first line of a message, without blanks around it, shortened to `most` code points.
std::string first_line(std::string_view message, std::size_t most);
/// The lines of a table, without empty ones and comments, which begin with '#'.
std::vector<std::string_view> rows_of(std::string_view table);
/// The columns of `text` on a terminal, according to utf8proc.
std::size_t display_width(std::string_view text);

/// `text` made safe to print: control characters, bidirectional overrides, invalid UTF-8 and
/// commands to a CI system become visible escapes such as \x1b or
/// \u{202e}, so that a manifest controls neither the terminal nor the build.
std::string printable(std::string_view text);

/// The words of `text` in lines of at most `width` columns; a longer word has a line of its own.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

// Classes of ASCII characters, independent of the locale.

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_lower_alphanumeric(char c) { return (c >= 'a' && c <= 'z') || is_digit(c); }
constexpr bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
constexpr bool is_alphanumeric(char c) {
  return is_lower_alphanumeric(c) || (c >= 'A' && c <= 'Z');
}

/// Whether a command to a CI system begins at `at`. These systems execute commands in the log of a
/// step: GitHub Actions `::error::…` at the start of a line, after any blanks, and `##[…]`; Azure
/// Pipelines `##vso[…]` and TeamCity `##teamcity[…]`, anywhere in a line. Lines are wrapped at
/// blanks, so the position after a blank counts as the start of a line. Escaping the character at
/// `at` disables the command.
bool begins_ci_command(std::string_view text, std::size_t at);

/// Whether the text contains such a command.
bool contains_ci_command(std::string_view text);

}  // namespace cnsched
