// The extension "math" of CEL. Source: cel-go, ext/math.go.
#include <algorithm>
#include <cmath>

#include "core/cel/library.h"

namespace cnsched::cel {

namespace {

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

Value best_number(Context& context, Arguments arguments, std::partial_ordering sign) {
  const auto numbers = numbers_in(context, arguments);
  if (!numbers) return no_such_overload();
  Value best = numbers->front();
  for (const Value& each : *numbers) {
    const auto order = compare(each, best);
    if (order == std::partial_ordering::unordered) return Value::unknown("the order of NaN");
    if (order == sign) best = each;
  }
  return best;
}

template <typename Operation>
Value of_double(Arguments arguments, Operation operation) {
  if (!arguments[0].is(Kind::floating)) return no_such_overload();
  return operation(arguments[0].get<double>());
}

template <typename Operation>
Value of_bits(Arguments arguments, Operation operation) {
  const Value& a = arguments[0];
  const Value& b = arguments[1];
  if (a.kind() != b.kind()) return no_such_overload();
  if (a.is(Kind::unsigned_integer)) {
    return operation(a.get<std::uint64_t>(), b.get<std::uint64_t>());
  }
  if (!a.is(Kind::integer)) return no_such_overload();
  return static_cast<std::int64_t>(operation(static_cast<std::uint64_t>(a.get<std::int64_t>()),
                                             static_cast<std::uint64_t>(b.get<std::int64_t>())));
}

template <typename Shift>
Value shifted_bits(Arguments arguments, Shift shift) {
  const Value& value = arguments[0];
  if (!arguments[1].is(Kind::integer)) return no_such_overload();
  const auto by = arguments[1].get<std::int64_t>();
  if (by < 0) return Value::error("negative offset");
  constexpr std::int64_t kBits = 64;
  const auto moved = [&](std::uint64_t bits) {
    return by < kBits ? shift(bits, static_cast<unsigned>(by)) : std::uint64_t{0};
  };
  if (value.is(Kind::unsigned_integer)) return moved(value.get<std::uint64_t>());
  if (!value.is(Kind::integer)) return no_such_overload();
  return static_cast<std::int64_t>(moved(static_cast<std::uint64_t>(value.get<std::int64_t>())));
}

}  // namespace

Value math_greatest(Context& context, Arguments arguments) {
  return best_number(context, arguments, std::partial_ordering::greater);
}

Value math_least(Context& context, Arguments arguments) {
  return best_number(context, arguments, std::partial_ordering::less);
}

Value math_ceil(Context& /*context*/, Arguments arguments) {
  return of_double(arguments, [](double x) { return std::ceil(x); });
}

Value math_floor(Context& /*context*/, Arguments arguments) {
  return of_double(arguments, [](double x) { return std::floor(x); });
}

Value math_round(Context& /*context*/, Arguments arguments) {
  return of_double(arguments, [](double x) { return std::round(x); });
}

Value math_trunc(Context& /*context*/, Arguments arguments) {
  return of_double(arguments, [](double x) { return std::trunc(x); });
}

Value math_is_inf(Context& /*context*/, Arguments arguments) {
  return of_double(arguments, [](double x) { return std::isinf(x); });
}

Value math_is_nan(Context& /*context*/, Arguments arguments) {
  return of_double(arguments, [](double x) { return std::isnan(x); });
}

Value math_is_finite(Context& /*context*/, Arguments arguments) {
  return of_double(arguments, [](double x) { return std::isfinite(x); });
}

Value math_abs(Context& /*context*/, Arguments arguments) {
  const Value& value = arguments[0];
  if (value.is(Kind::unsigned_integer)) return value;
  if (value.is(Kind::floating)) return std::abs(value.get<double>());
  if (!value.is(Kind::integer)) return no_such_overload();
  return value.get<std::int64_t>() < 0 ? negate_value(value) : value;
}

Value math_sign(Context& /*context*/, Arguments arguments) {
  const Value& value = arguments[0];
  if (value.is(Kind::unsigned_integer)) {
    return std::uint64_t{value.get<std::uint64_t>() == 0 ? 0U : 1U};
  }
  if (value.is(Kind::floating)) {
    const double number = value.get<double>();
    if (std::isnan(number) || number == 0) return number;
    return number < 0 ? -1.0 : 1.0;
  }
  if (!value.is(Kind::integer)) return no_such_overload();
  const auto number = value.get<std::int64_t>();
  return std::int64_t{(number > 0) - (number < 0)};
}

Value math_sqrt(Context& context, Arguments arguments) {
  if (!arguments[0].is_number()) return no_such_overload();
  return std::sqrt(to_double(context, arguments).get<double>());
}

Value math_bit_and(Context& /*context*/, Arguments arguments) {
  return of_bits(arguments, [](std::uint64_t a, std::uint64_t b) { return a & b; });
}

Value math_bit_or(Context& /*context*/, Arguments arguments) {
  return of_bits(arguments, [](std::uint64_t a, std::uint64_t b) { return a | b; });
}

Value math_bit_xor(Context& /*context*/, Arguments arguments) {
  return of_bits(arguments, [](std::uint64_t a, std::uint64_t b) { return a ^ b; });
}

Value math_bit_not(Context& /*context*/, Arguments arguments) {
  const Value& value = arguments[0];
  if (value.is(Kind::unsigned_integer)) return ~value.get<std::uint64_t>();
  return value.is(Kind::integer) ? Value(~value.get<std::int64_t>()) : no_such_overload();
}

Value math_shift_left(Context& /*context*/, Arguments arguments) {
  return shifted_bits(arguments, [](std::uint64_t bits, unsigned by) { return bits << by; });
}

Value math_shift_right(Context& /*context*/, Arguments arguments) {
  return shifted_bits(arguments, [](std::uint64_t bits, unsigned by) { return bits >> by; });
}

}  // namespace cnsched::cel
