#include "core/base/text.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

#include "core/base/scan.h"

namespace cnsched {

namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
char lower_char(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// The code point at the start of `text`, or -1 if it is not UTF-8, and its number of bytes.
struct CodePoint {
  int value = -1;
  std::size_t bytes = 1;
};

/// Most text is.
bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

CodePoint next_code_point(std::string_view text) {
  if (!text.empty() && is_ascii(text.front())) return {text.front(), 1};
  utf8proc_int32_t value = -1;
  const utf8proc_ssize_t taken = utf8proc_iterate(
      reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
      static_cast<utf8proc_ssize_t>(std::min<std::size_t>(text.size(), 4)), &value);
  if (taken <= 0) return {};
  return {value, static_cast<std::size_t>(taken)};
}

bool controls_terminal(int code_point) {
  return code_point < 0x20 || (code_point >= 0x7f && code_point < 0xa0) || code_point == 0x061c ||
         code_point == 0x200e || code_point == 0x200f ||
         (code_point >= 0x2028 && code_point <= 0x202e) ||
         (code_point >= 0x2066 && code_point <= 0x2069) || code_point == 0xfeff;
}

}  // namespace

std::string_view trim(std::string_view text) {
  const std::size_t begin = kBlanksAndLineEnds.find_first_not_in(text);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, kBlanksAndLineEnds.find_last_not_in(text) - begin + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

template <typename Number>
std::optional<Number> take_number(std::string_view& text, int base) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

template std::optional<int> take_number(std::string_view&, int);
template std::optional<unsigned> take_number(std::string_view&, int);
template std::optional<std::int64_t> take_number(std::string_view&, int);
template std::optional<std::uint64_t> take_number(std::string_view&, int);

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), lower_char);
  return result;
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower_char, lower_char);
}

std::string join_words(const std::vector<std::string>& words, std::string_view last,
                       std::size_t most) {
  std::string result;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool is_last = i + 1 == words.size() || i == most;
    if (i > 0) result += is_last ? fmt::format(" {} ", last) : ", ";
    if (i == most) return result + fmt::format("{} more", words.size() - most);
    result += words[i];
  }
  return result;
}

std::string count_of(std::size_t n, std::string_view noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

std::size_t utf8_length(std::string_view text) {
  const CodePoint point = next_code_point(text);
  return point.value < 0 ? 0 : point.bytes;
}

bool is_utf8(std::string_view text) {
  while (true) {
    const auto* other = std::ranges::find_if_not(text, is_ascii);
    text.remove_prefix(static_cast<std::size_t>(other - text.begin()));
    if (text.empty()) return true;
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
}

std::string utf8_of(unsigned code_point) {
  std::array<utf8proc_uint8_t, 4> bytes{};
  const auto size = utf8proc_encode_char(static_cast<utf8proc_int32_t>(code_point), bytes.data());
  return {bytes.begin(), bytes.begin() + size};
}

std::size_t code_points(std::string_view text) {
  auto count = static_cast<std::size_t>(std::ranges::find_if_not(text, is_ascii) - text.begin());
  text.remove_prefix(count);
  for (; !text.empty(); ++count) text.remove_prefix(next_code_point(text).bytes);
  return count;
}

std::string_view first_code_points(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t end = 0;
  for (; end < text.size() && most > 0; --most) end += next_code_point(text.substr(end)).bytes;
  return text.substr(0, end);
}

std::string shortened(std::string_view text, std::size_t most) {
  const std::string_view first = first_code_points(text, most);
  return std::string(first) + (first.size() < text.size() ? "…" : "");
}

std::string first_line(std::string_view message, std::size_t most) {
  message = trim(message);
  return shortened(trim(message.substr(0, message.find('\n'))), most);
}

std::vector<std::string_view> rows_of(std::string_view table) {
  std::vector<std::string_view> rows = split(table, '\n');
  std::erase_if(rows, [](std::string_view row) { return row.empty() || row.starts_with('#'); });
  return rows;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const CodePoint point = next_code_point(text);
    width += point.value < 0 ? 1 : static_cast<std::size_t>(utf8proc_charwidth(point.value));
    text.remove_prefix(point.bytes);
  }
  return width;
}

std::string printable(std::string_view text) {
  const std::string_view all = text;
  std::string result;
  result.reserve(text.size());
  const auto is_plain = [](char c) { return c >= 0x20 && c < 0x7f && c != ':' && c != '#'; };
  while (!text.empty()) {
    const auto run =
        static_cast<std::size_t>(std::ranges::find_if_not(text, is_plain) - text.begin());
    result += text.substr(0, run);
    text.remove_prefix(run);
    if (text.empty()) break;
    const CodePoint point = next_code_point(text);
    const bool may_command = point.value == ':' || point.value == '#';
    if (point.value < 0x20 || point.value == 0x7f ||
        (may_command && begins_ci_command(all, all.size() - text.size()))) {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    } else if (controls_terminal(point.value)) {
      result += fmt::format("\\u{{{:04x}}}", point.value);
    } else {
      result += text.substr(0, point.bytes);
    }
    text.remove_prefix(point.bytes);
  }
  return result;
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  std::size_t used = 0;
  for (const std::string_view word : split(text, ' ')) {
    const std::size_t needed = display_width(word);
    if (lines.empty() || used + 1 + needed > width) {
      lines.emplace_back(word);
      used = needed;
    } else {
      lines.back() += ' ';
      lines.back() += word;
      used += 1 + needed;
    }
  }
  return lines;
}

bool begins_ci_command(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("::")) {
    return rest.size() > 2 && is_letter(rest[2]) && (at == 0 || is_space(text[at - 1]));
  }
  if (!rest.starts_with("##")) return false;
  std::size_t end = 2;
  while (end < rest.size() && is_letter(rest[end])) ++end;
  return end < rest.size() && rest[end] == '[';
}

bool contains_ci_command(std::string_view text) {
  for (std::size_t at = text.find_first_of(":#"); at != std::string_view::npos;
       at = text.find_first_of(":#", at + 1)) {
    if (begins_ci_command(text, at)) return true;
  }
  return false;
}

}  // namespace cnsched
