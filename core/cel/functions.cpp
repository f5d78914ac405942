#include "core/cel/functions.h"

#include <algorithm>
#include <cmath>

#include "core/cel/time.h"

namespace cnsched::cel {

namespace {

Value overflow() { return Value::error("integer overflow"); }

template <typename T>
struct Pair {
  T a, b;
};

/// Both as that type, if they have it.
template <typename T>
std::optional<Pair<T>> both(Kind kind, const Value& a, const Value& b) {
  if (!a.is(kind) || !b.is(kind)) return std::nullopt;
  return Pair<T>{a.get<T>(), b.get<T>()};
}

bool equal_lists(Context& context, const List& a, const List& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!context.equal(a.at(i), b.at(i))) return false;
  }
  return true;
}

bool equal_maps(Context& context, const Map& a, const Map& b) {
  if (a.size() != b.size() || !context.charge(a.size())) return false;
  for (const Value& key : a.keys()) {
    const auto left = a.find(key);
    const auto right = b.find(key);
    if (!left || !right || !context.equal(*left, *right)) return false;
  }
  return true;
}

bool equal_optionals(Context& context, const Optional& a, const Optional& b) {
  if (!a || !b) return !a && !b;
  return context.equal(*a, *b);
}

Value concatenated(Context& context, const List& a, const List& b) {
  if (!context.charge(a.size() + b.size())) return {};
  std::vector<Value> items;
  items.reserve(a.size() + b.size());
  for (const List* list : {&a, &b}) {
    for (std::size_t i = 0; i < list->size(); ++i) items.push_back(list->at(i));
  }
  return Value::list(std::move(items));
}

std::string concatenated(std::string_view a, std::string_view b) {
  return std::string(a).append(b);
}

Value shifted_or_error(const Timestamp& time, Duration by) {
  const auto moved = shifted(time, by);
  return moved ? Value(*moved) : Value::error("timestamp overflow");
}

Value duration_or_error(std::optional<Duration> duration) {
  return duration ? Value(*duration) : Value::error("duration overflow");
}

/// Integers of both types with an operation that reports overflow; nothing for other values.
template <typename Checked>
std::optional<Value> checked(const Value& a, const Value& b, Checked operation) {
  if (const auto pair = both<std::int64_t>(Kind::integer, a, b)) {
    std::int64_t result = 0;
    return operation(pair->a, pair->b, &result) ? overflow() : Value(result);
  }
  if (const auto pair = both<std::uint64_t>(Kind::unsigned_integer, a, b)) {
    std::uint64_t result = 0;
    return operation(pair->a, pair->b, &result) ? overflow() : Value(result);
  }
  return std::nullopt;
}

}  // namespace

bool Function::accepts(Arguments arguments) const {
  constexpr std::string_view kLetters = "--bi-ds-l-t--oqpcuv";  // by Kind
  std::size_t next = 0;
  bool may_end = false;
  for (const char letter : signature) {
    if (letter == '*') return true;
    may_end = may_end || letter == '[';
    if (letter == '[') continue;
    if (next == arguments.size()) return may_end;
    const auto kind = static_cast<std::size_t>(arguments[next].kind());
    if (letter != '.' && kLetters[kind] != letter) return false;
    ++next;
  }
  return next == arguments.size();
}

std::span<const Function> functions() {
  static const std::vector<Function> kFunctions = [] {
    std::vector<Function> all;
    for (const auto table : {standard_functions(), time_functions(), string_functions(),
                             list_functions(), kubernetes_functions(), net_functions()}) {
      all.insert(all.end(), table.begin(), table.end());
    }
    std::ranges::sort(all, {}, &Function::name);
    return all;
  }();
  return kFunctions;
}

const Function* find_function(std::string_view name, bool as_member) {
  const auto found = std::ranges::lower_bound(functions(), name, {}, &Function::name);
  if (found == functions().end() || found->name != name) return nullptr;
  return found->style == (as_member ? kGlobal : kMember) ? nullptr : &*found;
}

Value no_such_overload() { return Value::error("no such overload"); }

// Equality and arithmetic.

bool Context::equal(const Value& a, const Value& b) {
  if (!charge(1)) return false;
  for (const Value* each : {&a, &b}) {
    if (!each->is_failure()) continue;
    stop(*each);
    return false;
  }
  if (a.is_number() && b.is_number()) return compare(a, b) == std::partial_ordering::equivalent;
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case Kind::null:
      return true;
    case Kind::string:
      return a.text() == b.text() && charge(text_cost(a.text().size()));
    case Kind::list:
      return equal_lists(*this, a.list(), b.list());
    case Kind::map:
      return equal_maps(*this, a.map(), b.map());
    case Kind::type:
      return a.get<Type>() == b.get<Type>();
    case Kind::optional:
      return equal_optionals(*this, a.optional(), b.optional());
    case Kind::quantity:
      return a.quantity().quantity == b.quantity().quantity;
    case Kind::ip:
      return a.get<Ip>() == b.get<Ip>();
    case Kind::cidr:
      return a.get<Cidr>() == b.get<Cidr>();
    case Kind::url:
      return a.get<std::shared_ptr<const Url>>()->text == b.get<std::shared_ptr<const Url>>()->text;
    case Kind::semver:
      return *a.get<std::shared_ptr<const Semver>>() == *b.get<std::shared_ptr<const Semver>>();
    default:
      return compare(a, b) == std::partial_ordering::equivalent;
  }
}

Value add_values(Context& context, const Value& a, const Value& b) {
  const auto sum = [](auto x, auto y, auto* result) {
    return __builtin_add_overflow(x, y, result);
  };
  if (const auto added = checked(a, b, sum)) return *added;
  if (const auto pair = both<double>(Kind::floating, a, b)) return pair->a + pair->b;
  if (const auto pair = both<Text>(Kind::string, a, b)) {
    if (!context.charge(text_cost(pair->a.view().size() + pair->b.view().size()))) return {};
    return Value::string(concatenated(pair->a.view(), pair->b.view()));
  }
  if (const auto pair = both<Bytes>(Kind::bytes, a, b)) {
    if (!context.charge(text_cost(pair->a.text.view().size() + pair->b.text.view().size()))) {
      return {};
    }
    return Bytes{Text(concatenated(pair->a.text.view(), pair->b.text.view()))};
  }
  if (a.is(Kind::list) && b.is(Kind::list)) return concatenated(context, a.list(), b.list());
  if (const auto pair = both<Duration>(Kind::duration, a, b)) {
    Duration result;
    const bool overflows = sum(pair->a.nanos, pair->b.nanos, &result.nanos);
    return duration_or_error(overflows ? std::nullopt : std::optional(result));
  }
  const Value& time = a.is(Kind::timestamp) ? a : b;
  const Value& by = a.is(Kind::timestamp) ? b : a;
  if (!time.is(Kind::timestamp) || !by.is(Kind::duration)) return no_such_overload();
  return shifted_or_error(time.get<Timestamp>(), by.get<Duration>());
}

Value subtract_values(const Value& a, const Value& b) {
  const auto difference = [](auto x, auto y, auto* result) {
    return __builtin_sub_overflow(x, y, result);
  };
  if (const auto subtracted = checked(a, b, difference)) return *subtracted;
  if (const auto pair = both<double>(Kind::floating, a, b)) return pair->a - pair->b;
  if (const auto pair = both<Timestamp>(Kind::timestamp, a, b)) {
    return duration_or_error(between(pair->a, pair->b));
  }
  if (const auto pair = both<Duration>(Kind::duration, a, b)) {
    Duration result;
    const bool overflows = difference(pair->a.nanos, pair->b.nanos, &result.nanos);
    return duration_or_error(overflows ? std::nullopt : std::optional(result));
  }
  if (!a.is(Kind::timestamp) || !b.is(Kind::duration)) return no_such_overload();
  const std::int64_t nanos = b.get<Duration>().nanos;
  if (nanos == INT64_MIN) return duration_or_error(std::nullopt);
  return shifted_or_error(a.get<Timestamp>(), Duration{-nanos});
}

Value multiply_values(const Value& a, const Value& b) {
  const auto product = [](auto x, auto y, auto* result) {
    return __builtin_mul_overflow(x, y, result);
  };
  if (const auto multiplied = checked(a, b, product)) return *multiplied;
  if (const auto pair = both<double>(Kind::floating, a, b)) return pair->a * pair->b;
  return no_such_overload();
}

Value divide_values(const Value& a, const Value& b) {
  // IEEE 754 defines the division by zero of doubles.
  if (const auto pair = both<double>(Kind::floating, a, b)) return pair->a / pair->b;
  if (const auto pair = both<std::int64_t>(Kind::integer, a, b)) {
    if (pair->b == 0) return Value::error("division by zero");
    if (pair->a == INT64_MIN && pair->b == -1) return overflow();
    return pair->a / pair->b;
  }
  const auto pair = both<std::uint64_t>(Kind::unsigned_integer, a, b);
  if (!pair) return no_such_overload();
  return pair->b == 0 ? Value::error("division by zero") : Value(pair->a / pair->b);
}

Value modulo_values(const Value& a, const Value& b) {
  if (const auto pair = both<std::int64_t>(Kind::integer, a, b)) {
    if (pair->b == 0) return Value::error("modulus by zero");
    if (pair->a == INT64_MIN && pair->b == -1) return overflow();
    return pair->a % pair->b;
  }
  const auto pair = both<std::uint64_t>(Kind::unsigned_integer, a, b);
  if (!pair) return no_such_overload();
  return pair->b == 0 ? Value::error("modulus by zero") : Value(pair->a % pair->b);
}

Value negate_value(const Value& value) {
  if (value.is(Kind::floating)) return -value.get<double>();
  if (!value.is(Kind::integer)) return no_such_overload();
  const auto number = value.get<std::int64_t>();
  return number == INT64_MIN ? overflow() : Value(-number);
}

}  // namespace cnsched::cel
