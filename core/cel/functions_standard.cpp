// Conversions, optional values and the extension math.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/base/text.h"
#include "core/cel/functions.h"
#include "core/cel/lexer.h"
#include "core/cel/time.h"

namespace cnsched::cel {

namespace {

constexpr double kTwoTo63 = 9223372036854775808.0;

Value conversion_error(const Value& value, std::string_view type) {
  return Value::error(
      fmt::format("type conversion error from '{}' to '{}'", type_name(value), type));
}

Value range_error() { return Value::error("integer overflow"); }

/// As Go's %g writes a double.
std::string shown(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Inf" : "+Inf";
  constexpr int kMinExponent = -4;
  constexpr int kMaxExponent = 5;
  const auto written = [&](std::chars_format format) {
    std::array<char, 512> text{};  // a double has at most 327 characters
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value, format).ptr;
    return std::string(text.data(), static_cast<std::size_t>(end - text.data()));
  };
  std::string scientific = written(std::chars_format::scientific);
  const int exponent = std::stoi(scientific.substr(scientific.find('e') + 1));
  const bool is_far = exponent < kMinExponent || exponent > kMaxExponent;
  return is_far ? scientific : written(std::chars_format::fixed);
}

Value double_in(std::string_view text, const Value& value) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::string written = lower(text);
  const bool is_negative = written.starts_with('-');
  if (is_negative || written.starts_with('+')) written.erase(0, 1);
  if (written == "nan" && !is_negative && text.size() == 3) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (written == "inf" || written == "infinity") return is_negative ? -kInfinity : kInfinity;
  if (written.find_first_of("xp_") != std::string::npos) {
    return Value::unknown("double() of a hexadecimal number");
  }
  const auto number =
      written.starts_with('-') || written.starts_with('+') ? std::nullopt : decimal_number(written);
  if (!number) return conversion_error(value, "double");
  return is_negative ? -*number : *number;
}

/// Go also reads hours of one digit, and a comma before decimals.
bool is_unusual_timestamp(std::string_view text) {
  constexpr std::size_t kSecondDigitOfHour = 12;
  return text.find(',') != std::string_view::npos ||
         text.substr(std::min(text.size(), kSecondDigitOfHour)).starts_with(':');
}

bool is_zero_value(const Value& value) {
  switch (value.kind()) {
    case Kind::null:
      return true;
    case Kind::boolean:
      return !value.get<bool>();
    case Kind::integer:
    case Kind::unsigned_integer:
    case Kind::floating:
      return compare(value, std::int64_t{0}) == std::partial_ordering::equivalent;
    case Kind::string:
      return value.text().empty();
    case Kind::bytes:
      return value.get<Bytes>().text.view().empty();
    case Kind::list:
      return value.list().size() == 0;
    case Kind::map:
      return value.map().size() == 0;
    case Kind::duration:
      return value.get<Duration>().nanos == 0;
    case Kind::optional:
      return !value.optional().has_value();
    default:
      return false;
  }
}

/// The numbers among which greatest and least choose: the arguments, or the only one's items.
std::optional<std::vector<Value>> numbers_in(Context& context, Arguments arguments) {
  std::vector<Value> numbers(arguments.begin(), arguments.end());
  if (arguments.size() == 1 && arguments[0].is(Kind::list)) {
    const List& list = arguments[0].list();
    if (!context.charge(list.size())) return std::nullopt;
    numbers.clear();
    for (std::size_t i = 0; i < list.size(); ++i) numbers.push_back(list.at(i));
  }
  const bool valid = std::ranges::all_of(numbers, &Value::is_number);
  return valid && !numbers.empty() ? std::optional(std::move(numbers)) : std::nullopt;
}

template <bool kLargest>
Value best_number(Context& context, Arguments arguments) {
  const auto numbers = numbers_in(context, arguments);
  return numbers ? extreme_of(*numbers, kLargest) : no_such_overload();
}

double ceil_of(double x) { return std::ceil(x); }
double floor_of(double x) { return std::floor(x); }
double round_of(double x) { return std::round(x); }

template <double (*kOperation)(double)>
Value of_double(Context& /*context*/, Arguments arguments) {
  return kOperation(arguments[0].get<double>());
}

Value to_bool(Context& /*context*/, Arguments arguments) {
  const Value& value = arguments[0];
  if (value.is(Kind::boolean)) return value;
  if (!value.is(Kind::string)) return no_such_overload();
  if (is_one_of(value.text(), {"1", "t", "T", "true", "TRUE", "True"})) return true;
  if (is_one_of(value.text(), {"0", "f", "F", "false", "FALSE", "False"})) return false;
  return conversion_error(value, "bool");
}

Value to_bytes(Context& /*context*/, Arguments arguments) {
  const Value& value = arguments[0];
  if (value.is(Kind::bytes)) return value;
  if (!value.is(Kind::string)) return no_such_overload();
  return Bytes{value.get<Text>()};
}

Value to_double(Context& /*context*/, Arguments arguments) {
  const Value& value = arguments[0];
  switch (value.kind()) {
    case Kind::floating:
      return value;
    case Kind::integer:
      return static_cast<double>(value.get<std::int64_t>());
    case Kind::unsigned_integer:
      return static_cast<double>(value.get<std::uint64_t>());
    case Kind::string:
      return double_in(value.text(), value);
    default:
      return no_such_overload();
  }
}

Value to_int(Context& /*context*/, Arguments arguments) {
  const Value& value = arguments[0];
  switch (value.kind()) {
    case Kind::integer:
      return value;
    case Kind::unsigned_integer:
      if (value.get<std::uint64_t>() > INT64_MAX) return range_error();
      return static_cast<std::int64_t>(value.get<std::uint64_t>());
    case Kind::floating: {
      const double number = value.get<double>();
      if (!(number > -kTwoTo63 && number < kTwoTo63)) return range_error();
      return static_cast<std::int64_t>(number);
    }
    case Kind::string: {
      std::string_view text = value.text();
      if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
      const auto number = whole_number<std::int64_t>(text);
      return number ? Value(*number) : conversion_error(value, "int");
    }
    case Kind::timestamp:
      return value.get<Timestamp>().seconds;
    case Kind::duration:
      return value.get<Duration>().nanos;
    default:
      return no_such_overload();
  }
}

Value to_uint(Context& /*context*/, Arguments arguments) {
  const Value& value = arguments[0];
  switch (value.kind()) {
    case Kind::unsigned_integer:
      return value;
    case Kind::integer:
      if (value.get<std::int64_t>() < 0) return range_error();
      return static_cast<std::uint64_t>(value.get<std::int64_t>());
    case Kind::floating: {
      const double number = value.get<double>();
      if (!(number >= 0 && number < 2 * kTwoTo63)) return range_error();
      return static_cast<std::uint64_t>(number);
    }
    case Kind::string: {
      const auto number = whole_number<std::uint64_t>(value.text());
      return number ? Value(*number) : conversion_error(value, "uint");
    }
    default:
      return no_such_overload();
  }
}

Value to_string(Context& context, Arguments arguments) {
  const Value& value = arguments[0];
  switch (value.kind()) {
    case Kind::string:
      return value;
    case Kind::boolean:
      return Value::string(value.get<bool>() ? "true" : "false");
    case Kind::integer:
      return Value::string(fmt::format("{}", value.get<std::int64_t>()));
    case Kind::unsigned_integer:
      return Value::string(fmt::format("{}", value.get<std::uint64_t>()));
    case Kind::floating:
      return Value::string(shown(value.get<double>()));
    case Kind::bytes: {
      const Text& text = value.get<Bytes>().text;
      if (!context.charge(text_cost(text.view().size()))) return {};
      return is_utf8(text.view()) ? Value(text) : Value::error("invalid UTF-8 in bytes");
    }
    case Kind::timestamp:
      return Value::string(to_text(value.get<Timestamp>()));
    case Kind::duration:
      return Value::string(to_text(value.get<Duration>()));
    case Kind::ip:
      return Value::string(to_text(value.get<Ip>()));
    case Kind::cidr:
      return Value::string(to_text(value.get<Cidr>()));
    default:
      return no_such_overload();
  }
}

Value to_duration(Context& /*context*/, Arguments arguments) {
  const Value& value = arguments[0];
  if (value.is(Kind::duration)) return value;
  if (!value.is(Kind::string)) return no_such_overload();
  const auto duration = parse_duration(value.text());
  return duration ? Value(*duration) : conversion_error(value, "duration");
}

Value to_timestamp(Context& /*context*/, Arguments arguments) {
  const Value& value = arguments[0];
  if (value.is(Kind::timestamp)) return value;
  std::optional<Timestamp> time;
  if (value.is(Kind::integer)) {
    time = Timestamp{value.get<std::int64_t>(), 0};
  } else if (!value.is(Kind::string)) {
    return no_such_overload();
  } else {
    time = parse_timestamp(value.text());
    if (!time && is_unusual_timestamp(value.text())) return Value::unknown("unusual timestamps");
    if (!time) return conversion_error(value, "timestamp");
  }
  return is_in_range(*time) ? Value(*time) : Value::error("timestamp overflow");
}

Value to_dyn(Context& /*context*/, Arguments arguments) { return arguments[0]; }

Value to_type(Context& /*context*/, Arguments arguments) { return Type{type_name(arguments[0])}; }

Value size_of(Context& context, Arguments arguments) {
  const Value& value = arguments[0];
  switch (value.kind()) {
    case Kind::string:
      if (!context.charge(text_cost(value.text().size()))) return {};
      return Value::integer(code_points(value.text()));
    case Kind::bytes:
      return Value::integer(value.get<Bytes>().text.view().size());
    case Kind::list:
      return Value::integer(value.list().size());
    case Kind::map:
      return Value::integer(value.map().size());
    default:
      return no_such_overload();
  }
}

Value has_value(Context& /*context*/, Arguments arguments) {
  return arguments[0].optional().has_value();
}

Value optional_none(Context& /*context*/, Arguments /*arguments*/) {
  return Value::optional(std::nullopt);
}

Value optional_of(Context& /*context*/, Arguments arguments) {
  return Value::optional(arguments[0]);
}

Value optional_of_non_zero(Context& /*context*/, Arguments arguments) {
  if (is_zero_value(arguments[0])) return Value::optional(std::nullopt);
  return Value::optional(arguments[0]);
}

Value optional_value(Context& /*context*/, Arguments arguments) {
  const Optional& value = arguments[0].optional();
  return value ? *value : Value::error("optional.none() dereference");
}

Value optional_unwrap(Context& context, Arguments arguments) {
  const List& list = arguments[0].list();
  if (!context.charge(list.size())) return {};
  std::vector<Value> items;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Value item = list.at(i);
    if (!item.is(Kind::optional)) return no_such_overload();
    if (item.optional()) items.push_back(*item.optional());
  }
  return Value::list(std::move(items));
}

// The extension "math" of CEL. Source: cel-go, ext/math.go.

Value math_abs(Context& /*context*/, Arguments arguments) {
  const Value& value = arguments[0];
  if (value.is(Kind::unsigned_integer)) return value;
  if (value.is(Kind::floating)) return std::abs(value.get<double>());
  if (!value.is(Kind::integer)) return no_such_overload();
  return value.get<std::int64_t>() < 0 ? negate_value(value) : value;
}

}  // namespace

std::span<const Function> standard_functions() {
  static constexpr auto kFunctions = std::to_array<Function>({
      {"bool", kGlobal, ".", to_bool},
      {"bytes", kGlobal, ".", to_bytes},
      {"double", kGlobal, ".", to_double},
      {"duration", kGlobal, ".", to_duration},
      {"dyn", kGlobal, ".", to_dyn},
      {"hasValue", kMember, "o", has_value},
      {"int", kGlobal, ".", to_int},
      {"math.abs", kGlobal, ".", math_abs},
      {"math.ceil", kGlobal, "d", of_double<ceil_of>},
      {"math.floor", kGlobal, "d", of_double<floor_of>},
      {"math.greatest", kGlobal, ".*", best_number<true>},
      {"math.least", kGlobal, ".*", best_number<false>},
      {"math.round", kGlobal, "d", of_double<round_of>},
      {"optional.none", kGlobal, "", optional_none},
      {"optional.of", kGlobal, ".", optional_of},
      {"optional.ofNonZeroValue", kGlobal, ".", optional_of_non_zero},
      {"optional.unwrap", kGlobal, "l", optional_unwrap},
      {"or", kMember, "..", nullptr},
      {"orValue", kMember, "..", nullptr},
      {"size", kBoth, ".", size_of},
      {"string", kGlobal, ".", to_string},
      {"timestamp", kGlobal, ".", to_timestamp},
      {"type", kGlobal, ".", to_type},
      {"uint", kGlobal, ".", to_uint},
      {"unwrapOpt", kMember, "l", optional_unwrap},
      {"value", kMember, "o", optional_value},
  });
  return kFunctions;
}

}  // namespace cnsched::cel
