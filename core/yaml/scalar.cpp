#include "core/yaml/scalar.h"

#include "core/base/portability.h"
#include "core/base/text.h"
#include "core/yaml/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

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

namespace {

bool same_scalar(const Node& a, const Node& b) {
  const auto literal = json_literal(a);
  return literal == json_literal(b) && (literal || a.text() == b.text());
}

bool same_entry(const Entry& a, const Entry& b) {
  return key_text(*a.key) == key_text(*b.key) && same_value(*a.value, *b.value);
}

}  // namespace

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

}  // namespace cnsched::yaml
