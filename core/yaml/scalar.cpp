#include "core/yaml/scalar.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "core/base/portability.h"
#include "core/base/scan.h"
#include "core/base/text.h"
#include "core/yaml/tree.h"

namespace cnsched::yaml {

namespace {

constexpr std::array<std::string_view, 11> kTrue = {"y",    "Y",    "yes", "Yes", "YES", "true",
                                                    "True", "TRUE", "on",  "On",  "ON"};
constexpr std::array<std::string_view, 11> kFalse = {"n",     "N",     "no",  "No",  "NO", "false",
                                                     "False", "FALSE", "off", "Off", "OFF"};
constexpr std::array<std::string_view, 4> kNull = {"~", "null", "Null", "NULL"};
constexpr std::array<std::string_view, 12> kNotFinite = {".nan",  ".NaN",  ".NAN",  ".inf",
                                                         ".Inf",  ".INF",  "+.inf", "+.Inf",
                                                         "+.INF", "-.inf", "-.Inf", "-.INF"};

std::size_t digits_at(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::find_if_not(text, is_digit) - text.begin());
}

/// go-yaml's yamlStyleFloat: [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?
bool is_float_text(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const std::size_t whole = digits_at(text);
  text.remove_prefix(whole);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    const std::size_t fraction = digits_at(text);
    if (whole == 0 && fraction == 0) return false;
    text.remove_prefix(fraction);
  } else if (whole == 0) {
    return false;
  }
  if (text.empty()) return true;
  if (text.front() != 'e' && text.front() != 'E') return false;
  text.remove_prefix(1);
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() && digits_at(text) == text.size();
}

/// Go's strconv.ParseInt with base 0, without underscores.
struct Integer {
  bool negative = false;
  std::uint64_t magnitude = 0;
};

std::optional<Integer> parse_integer(std::string_view text) {
  Integer result;
  if (text.starts_with('-') || text.starts_with('+')) {
    result.negative = text.front() == '-';
    text.remove_prefix(1);
  }
  int base = 10;
  if (text.size() > 1 && text.front() == '0') {
    const char mark = text[1];
    base = mark == 'x' || mark == 'X' ? 16 : mark == 'b' || mark == 'B' ? 2 : 8;
    text.remove_prefix(base == 8 && mark != 'o' && mark != 'O' ? 1 : 2);
  }
  const auto magnitude = whole_number<std::uint64_t>(text, base);
  if (!magnitude) return std::nullopt;
  result.magnitude = *magnitude;
  const std::uint64_t lowest = std::uint64_t{1} << 63U;
  if (result.negative && result.magnitude > lowest) return std::nullopt;
  return result;
}

/// YAML 1.1 allows underscores in numbers.
std::string without_underscores(std::string_view text) {
  std::string plain(text);
  std::erase(plain, '_');
  return plain;
}

std::optional<std::string> integer_literal(std::string_view text) {
  const auto number = parse_integer(without_underscores(text));
  if (!number) return std::nullopt;
  const bool negative = number->negative && number->magnitude > 0;
  return fmt::format("{}{}", negative ? "-" : "", number->magnitude);
}

std::optional<double> float_of(std::string_view text) {
  std::string plain = without_underscores(text);
  if (plain.starts_with('+')) plain.erase(0, 1);
  return parse_double(plain);
}

bool same_scalar(const Node& a, const Node& b) {
  const auto literal = json_literal(a);
  return literal == json_literal(b) && (literal || a.text() == b.text());
}

bool same_entry(const Entry& a, const Entry& b) {
  return key_text(*a.key) == key_text(*b.key) && same_value(*a.value, *b.value);
}

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

std::optional<ScalarType> resolve_plain(std::string_view text) {
  if (text.empty() || std::ranges::find(kNull, text) != kNull.end()) return std::nullopt;
  if (boolean_of(text)) return ScalarType::boolean;
  if (std::ranges::find(kNotFinite, text) != kNotFinite.end()) return ScalarType::floating;
  const char first = text.front();
  if (!is_digit(first) && first != '-' && first != '+' && first != '.') return ScalarType::string;
  const std::string plain = without_underscores(text);
  if (first != '.' && parse_integer(plain)) return ScalarType::integer;
  return is_float_text(plain) ? ScalarType::floating : ScalarType::string;
}

std::optional<bool> boolean_of(std::string_view text) {
  if (std::ranges::find(kTrue, text) != kTrue.end()) return true;
  if (std::ranges::find(kFalse, text) != kFalse.end()) return false;
  return std::nullopt;
}

std::optional<std::int64_t> integer_of(const Node& node) {
  if (!node.is_scalar() || node.type != ScalarType::integer) return std::nullopt;
  const auto number = parse_integer(without_underscores(node.text()));
  if (!number || (!number->negative && number->magnitude > INT64_MAX)) return std::nullopt;
  // Wraps like two's complement, so the lowest number is exact.
  return static_cast<std::int64_t>(number->negative ? 0 - number->magnitude : number->magnitude);
}

std::optional<std::string> json_literal(const Node& node) {
  if (!node.is_scalar()) return std::nullopt;
  switch (node.type) {
    case ScalarType::boolean:
      return boolean_of(node.text()).value_or(false) ? "true" : "false";
    case ScalarType::integer:
      return integer_literal(node.text());
    case ScalarType::floating: {
      const auto number = float_of(node.text());
      return number ? std::optional(float_literal(*number)) : std::nullopt;
    }
    case ScalarType::string:
      break;
  }
  return std::nullopt;
}

std::string float_literal(double value) {
  std::string literal = fmt::format("{}", value);
  // YAML 1.1 requires a dot before an exponent, and the reader may not be Kubernetes.
  const std::size_t exponent = literal.find('e');
  if (exponent != std::string::npos && literal.find('.') == std::string::npos) {
    literal.insert(exponent, ".0");
  }
  return literal;
}

std::string key_text(const Node& key) {
  return json_literal(key).value_or(std::string(key.text()));
}

std::string_view describe(const Node& node) {
  switch (node.kind) {
    case Node::Kind::missing:
      return "nothing";
    case Node::Kind::null:
      return "null";
    case Node::Kind::sequence:
      return "a list";
    case Node::Kind::mapping:
      return "a mapping";
    case Node::Kind::scalar:
      break;
  }
  switch (node.type) {
    case ScalarType::boolean:
      return "a boolean";
    case ScalarType::integer:
      return "an integer";
    case ScalarType::floating:
      return "a number";
    case ScalarType::string:
      break;
  }
  return "a string";
}

bool same_value(const Node& a, const Node& b) {
  if (&a == &b) return true;
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case Node::Kind::missing:
    case Node::Kind::null:
      return true;
    case Node::Kind::scalar:
      return same_scalar(a, b);
    case Node::Kind::sequence:
      return std::ranges::equal(a.items(), b.items(), [](const Node* one, const Node* other) {
        return same_value(*one, *other);
      });
    case Node::Kind::mapping:
      break;
  }
  return std::ranges::equal(entries_of(a), entries_of(b), same_entry);
}

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
