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

Value math_abs(Context& /*context*/, Arguments arguments) {
  const Value& value = arguments[0];
  if (value.is(Kind::unsigned_integer)) return value;
  if (value.is(Kind::floating)) return std::abs(value.get<double>());
  if (!value.is(Kind::integer)) return no_such_overload();
  return value.get<std::int64_t>() < 0 ? negate_value(value) : value;
}

}  // namespace cnsched::cel
