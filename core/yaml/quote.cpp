#include "core/yaml/quote.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/scan.h"
#include "core/base/text.h"
#include "core/yaml/scalar.h"

namespace cnsched::yaml {

namespace {

/// The code point of a valid UTF-8 sequence.
char32_t code_point(std::string_view sequence) {
  const auto first = static_cast<unsigned char>(sequence.front());
  if (sequence.size() == 1) return first;
  char32_t value = first & (0xFFU >> (sequence.size() + 1));
  for (const char c : sequence.substr(1)) {
    value = value << 6U | (static_cast<unsigned char>(c) & 0x3FU);
  }
  return value;
}

/// Unicode's noncharacters U+FFFE and U+FFFF are invalid in YAML.
bool is_valid_in_yaml(std::string_view sequence) {
  const char32_t value = code_point(sequence);
  return value != 0xFFFE && value != 0xFFFF && printable(sequence) == sequence;
}

/// Whether every code point of `text` is valid in YAML without an escape; of control characters
/// only those in `allowed` are.
bool is_clean(std::string_view text, std::string_view allowed = "") {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    const bool excepted = length == 1 && allowed.find(text.front()) != std::string_view::npos;
    if (!excepted && !is_valid_in_yaml(text.substr(0, length))) return false;
    text.remove_prefix(length);
  }
  return true;
}

/// Whether some YAML 1.1 parser reads the text as a type that Kubernetes does not have: 1:30 is 90,
/// 2024-01-01 a date, = and << are special.
bool is_other_type(std::string_view text) {
  if (text == "=" || text == "<<") return true;
  const bool sign = text.front() == '-' || text.front() == '+';
  const std::string_view rest = text.substr(sign ? 1 : 0);
  if (rest.empty() || !is_digit(rest.front())) return false;
  if (rest.find_first_of("-:") == std::string_view::npos) return false;
  return std::ranges::all_of(rest, [](char c) {
    return is_digit(c) || std::string_view("-:._+TtZz ").find(c) != std::string_view::npos;
  });
}

bool begins_plain(std::string_view text) {
  constexpr std::string_view kIndicators = ",[]{}#&*!|>'\"%@` ";
  if (kIndicators.find(text.front()) != std::string_view::npos) return false;
  if (text.starts_with("---") || text.starts_with("...")) return false;
  const bool may_indicate = text.front() == '-' || text.front() == '?' || text.front() == ':';
  return !may_indicate || (text.size() > 1 && text[1] != ' ');
}

bool is_plain(std::string_view text) {
  if (text.empty() || !begins_plain(text) || text.ends_with(' ') || text.ends_with(':')) {
    return false;
  }
  if (text.find(": ") != std::string_view::npos || text.find(" #") != std::string_view::npos) {
    return false;
  }
  return resolve_plain(text) == ScalarType::string && !is_other_type(text) && is_clean(text) &&
         !contains_ci_command(text);
}

std::string escaped_for_yaml(std::string_view sequence) {
  const char32_t value = code_point(sequence);
  switch (value) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\n':
      return "\\n";
    case '\t':
      return "\\t";
    case '\r':
      return "\\r";
    default:
      break;
  }
  if (is_valid_in_yaml(sequence)) return std::string(sequence);
  const auto number = static_cast<std::uint32_t>(value);
  if (value <= 0xFF) return fmt::format("\\x{:02X}", number);
  return value <= 0xFFFF ? fmt::format("\\u{:04X}", number) : fmt::format("\\U{:08X}", number);
}

/// The same with only JSON's escapes: text in flow style may be JSON.
std::string escaped_for_flow(std::string_view sequence) {
  const std::string escaped = escaped_for_yaml(sequence);
  return escaped.starts_with("\\x") ? "\\u00" + escaped.substr(2) : escaped;
}

std::string escaped_for_json(std::string_view sequence) {
  const auto value = static_cast<std::uint32_t>(code_point(sequence));
  if (value == '"') return "\\\"";
  if (value == '\\') return "\\\\";
  if (value == '\n') return "\\n";
  if (value >= 0x20 && value < 0x7F) return std::string(sequence);
  if (value <= 0xFFFF) return fmt::format("\\u{:04x}", value);
  const std::uint32_t rest = value - 0x10000;
  return fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (rest >> 10U), 0xDC00 + (rest & 0x3FFU));
}

/// Valid in YAML and JSON.
std::string escaped_character(char c) {
  return fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
}

/// The characters that stay as they are, whatever is before or after them.
constexpr CharSet kNeverEscaped(
    " !$%&'()*+,-./0123456789;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{|}~");

/// `text` in double quotes, with each code point passed through `escaped`.
template <typename Escaped>
std::string in_quotes(std::string_view text, Escaped escaped) {
  constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
  const std::string_view all = text;
  std::string result = "\"";
  while (true) {
    const std::size_t plain = std::min(kNeverEscaped.find_first_not_in(text), text.size());
    result += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const std::size_t length = utf8_length(text);
    if ((text.front() == ':' || text.front() == '#') &&
        begins_ci_command(all, all.size() - text.size())) {
      result += escaped_character(text.front());
    } else {
      result += escaped(length == 0 ? kReplacement : text.substr(0, length));
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result + '"';
}

}  // namespace

std::string quoted_for_yaml(std::string_view text) {
  return is_plain(text) ? std::string(text) : in_quotes(text, escaped_for_yaml);
}

std::string quoted_for_flow(std::string_view text, bool always) {
  // In flow style, a '?' ends a plain scalar anywhere.
  const bool plain = !always && is_plain(text) &&
                     text.find_first_of(",[]{}?") == std::string_view::npos && text.front() != ':';
  return plain ? std::string(text) : in_quotes(text, escaped_for_flow);
}

std::string in_single_quotes(std::string_view text) {
  const bool simple = is_plain(text) && text.find('\'') == std::string_view::npos;
  return simple ? fmt::format("'{}'", text) : quoted_for_flow(text, true);
}

bool fits_block_scalar(std::string_view text) {
  if (text.find('\n') == std::string_view::npos || text.ends_with("\n\n")) return false;
  // The first line determines the indentation, and trailing blanks of the last are easily lost.
  if (std::string_view(" \t\n").find(text.front()) != std::string_view::npos) return false;
  const std::string_view body = text.substr(0, text.find_last_not_of('\n') + 1);
  return !body.ends_with(' ') && !body.ends_with('\t') && is_clean(text, "\n\t") &&
         !contains_ci_command(text);
}

std::string block_scalar_header(std::string_view text) { return text.ends_with('\n') ? "|" : "|-"; }

std::string block_scalar_lines(std::string_view text, std::size_t indent) {
  std::string lines;
  if (text.ends_with('\n')) text.remove_suffix(1);
  for (const std::string_view line : split(text, '\n')) {
    if (!line.empty()) lines.append(indent, ' ');
    lines += line;
    lines += '\n';
  }
  return lines;
}

std::string quoted_for_json(std::string_view text) { return in_quotes(text, escaped_for_json); }

}  // namespace cnsched::yaml
