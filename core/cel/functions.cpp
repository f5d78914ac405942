#include "core/cel/functions.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/cel/library.h"
#include "core/cel/time.h"

namespace cnsched::cel {

namespace {

constexpr auto kGlobal = Function::Style::global;
constexpr auto kMember = Function::Style::member;
constexpr auto kBoth = Function::Style::both;

constexpr std::string_view kStandard = "CEL";
constexpr std::string_view kOptional = "CEL, optional values";
constexpr std::string_view kStrings = "CEL, strings";
constexpr std::string_view kMath = "CEL, math";
constexpr std::string_view kLists = "CEL, lists";
constexpr std::string_view kSets = "CEL, sets";
constexpr std::string_view kKubernetesLists = "Kubernetes, lists";
constexpr std::string_view kRegex = "Kubernetes, regex";
constexpr std::string_view kQuantities = "Kubernetes, quantity";
constexpr std::string_view kSemver = "Kubernetes, semver";
constexpr std::string_view kNet = "Kubernetes, IP and CIDR";
constexpr std::string_view kUrls = "Kubernetes, URL";

constexpr std::uint8_t kMany = 255;

constexpr auto kFunctions = std::to_array<Function>({
    {"add", kMember, 2, 2, quantity_add, kQuantities},
    {"asApproximateFloat", kMember, 1, 1, as_approximate_float, kQuantities},
    {"asInteger", kMember, 1, 1, as_integer, kQuantities},
    {"bool", kGlobal, 1, 1, to_bool, kStandard},
    {"bytes", kGlobal, 1, 1, to_bytes, kStandard},
    {"charAt", kMember, 2, 2, char_at, kStrings},
    {"cidr", kGlobal, 1, 1, to_cidr, kNet},
    {"compareTo", kMember, 2, 2, compare_to, kQuantities},
    {"contains", kMember, 2, 2, contains, kStandard},
    {"containsCIDR", kMember, 2, 2, contains_cidr, kNet},
    {"containsIP", kMember, 2, 2, contains_ip, kNet},
    {"distinct", kMember, 1, 1, distinct, kLists},
    {"double", kGlobal, 1, 1, to_double, kStandard},
    {"duration", kGlobal, 1, 1, to_duration, kStandard},
    {"dyn", kGlobal, 1, 1, to_dyn, kStandard},
    {"endsWith", kMember, 2, 2, ends_with, kStandard},
    {"family", kMember, 1, 1, ip_family, kNet},
    {"find", kMember, 2, 2, find_match, kRegex},
    {"findAll", kMember, 2, 3, find_matches, kRegex},
    {"first", kMember, 1, 1, first_item, kLists},
    {"flatten", kMember, 1, 2, flatten, kLists},
    {"format", kMember, 2, 2, format_text, kStrings},
    {"getDate", kMember, 1, 2, get_date, kStandard},
    {"getDayOfMonth", kMember, 1, 2, get_day_of_month, kStandard},
    {"getDayOfWeek", kMember, 1, 2, get_day_of_week, kStandard},
    {"getDayOfYear", kMember, 1, 2, get_day_of_year, kStandard},
    {"getEscapedPath", kMember, 1, 1, url_escaped_path, kUrls},
    {"getFullYear", kMember, 1, 2, get_full_year, kStandard},
    {"getHost", kMember, 1, 1, url_host, kUrls},
    {"getHostname", kMember, 1, 1, url_hostname, kUrls},
    {"getHours", kMember, 1, 2, get_hours, kStandard},
    {"getMilliseconds", kMember, 1, 2, get_milliseconds, kStandard},
    {"getMinutes", kMember, 1, 2, get_minutes, kStandard},
    {"getMonth", kMember, 1, 2, get_month, kStandard},
    {"getPort", kMember, 1, 1, url_port, kUrls},
    {"getQuery", kMember, 1, 1, url_query, kUrls},
    {"getScheme", kMember, 1, 1, url_scheme, kUrls},
    {"getSeconds", kMember, 1, 2, get_seconds, kStandard},
    {"hasValue", kMember, 1, 1, has_value, kOptional},
    {"indexOf", kMember, 2, 3, index_of, kStrings},
    {"int", kGlobal, 1, 1, to_int, kStandard},
    {"ip", kBoth, 1, 1, to_ip, kNet},
    {"ip.isCanonical", kGlobal, 1, 1, is_canonical_ip, kNet},
    {"isCIDR", kGlobal, 1, 1, is_cidr, kNet},
    {"isGlobalUnicast", kMember, 1, 1, is_global_unicast, kNet},
    {"isGreaterThan", kMember, 2, 2, is_greater_than, kQuantities},
    {"isIP", kGlobal, 1, 1, is_ip, kNet},
    {"isInteger", kMember, 1, 1, is_integer, kQuantities},
    {"isLessThan", kMember, 2, 2, is_less_than, kQuantities},
    {"isLinkLocalMulticast", kMember, 1, 1, is_link_local_multicast, kNet},
    {"isLinkLocalUnicast", kMember, 1, 1, is_link_local_unicast, kNet},
    {"isLoopback", kMember, 1, 1, is_loopback, kNet},
    {"isQuantity", kGlobal, 1, 1, is_quantity, kQuantities},
    {"isSemver", kGlobal, 1, 2, is_semver, kSemver},
    {"isSorted", kMember, 1, 1, is_sorted, kKubernetesLists},
    {"isURL", kGlobal, 1, 1, is_url, kUrls},
    {"isUnspecified", kMember, 1, 1, is_unspecified, kNet},
    {"join", kMember, 1, 2, join_texts, kStrings},
    {"last", kMember, 1, 1, last_item, kLists},
    {"lastIndexOf", kMember, 2, 3, last_index_of, kStrings},
    {"lists.range", kGlobal, 1, 1, list_range, kLists},
    {"lowerAscii", kMember, 1, 1, lower_ascii, kStrings},
    {"major", kMember, 1, 1, semver_major, kSemver},
    {"masked", kMember, 1, 1, masked_cidr, kNet},
    {"matches", kBoth, 2, 2, matches, kStandard},
    {"math.abs", kGlobal, 1, 1, math_abs, kMath},
    {"math.ceil", kGlobal, 1, 1, math_ceil, kMath},
    {"math.floor", kGlobal, 1, 1, math_floor, kMath},
    {"math.greatest", kGlobal, 1, kMany, math_greatest, kMath},
    {"math.least", kGlobal, 1, kMany, math_least, kMath},
    {"math.round", kGlobal, 1, 1, math_round, kMath},
    {"max", kMember, 1, 1, list_max, kKubernetesLists},
    {"min", kMember, 1, 1, list_min, kKubernetesLists},
    {"minor", kMember, 1, 1, semver_minor, kSemver},
    {"optional.none", kGlobal, 0, 0, optional_none, kOptional},
    {"optional.of", kGlobal, 1, 1, optional_of, kOptional},
    {"optional.ofNonZeroValue", kGlobal, 1, 1, optional_of_non_zero, kOptional},
    {"optional.unwrap", kGlobal, 1, 1, optional_unwrap, kOptional},
    {"or", kMember, 2, 2, nullptr, kOptional},
    {"orValue", kMember, 2, 2, nullptr, kOptional},
    {"patch", kMember, 1, 1, semver_patch, kSemver},
    {"prefixLength", kMember, 1, 1, prefix_length, kNet},
    {"quantity", kGlobal, 1, 1, to_quantity, kQuantities},
    {"replace", kMember, 3, 4, replace_text, kStrings},
    {"reverse", kMember, 1, 1, reverse, kLists},
    {"semver", kGlobal, 1, 2, to_semver, kSemver},
    {"sets.contains", kGlobal, 2, 2, sets_contains, kSets},
    {"sets.equivalent", kGlobal, 2, 2, sets_equivalent, kSets},
    {"sets.intersects", kGlobal, 2, 2, sets_intersects, kSets},
    {"sign", kGlobal, 1, 1, sign_of, kQuantities},
    {"size", kBoth, 1, 1, size_of, kStandard},
    {"slice", kMember, 3, 3, slice, kLists},
    {"sort", kMember, 1, 1, sort_list, kLists},
    {"split", kMember, 2, 3, split_text, kStrings},
    {"startsWith", kMember, 2, 2, starts_with, kStandard},
    {"string", kGlobal, 1, 1, to_string, kStandard},
    {"strings.quote", kGlobal, 1, 1, quote_text, kStrings},
    {"sub", kMember, 2, 2, quantity_sub, kQuantities},
    {"substring", kMember, 2, 3, substring, kStrings},
    {"sum", kMember, 1, 1, list_sum, kKubernetesLists},
    {"timestamp", kGlobal, 1, 1, to_timestamp, kStandard},
    {"trim", kMember, 1, 1, trim_text, kStrings},
    {"type", kGlobal, 1, 1, to_type, kStandard},
    {"uint", kGlobal, 1, 1, to_uint, kStandard},
    {"unwrapOpt", kMember, 1, 1, optional_unwrap, kOptional},
    {"upperAscii", kMember, 1, 1, upper_ascii, kStrings},
    {"url", kGlobal, 1, 1, to_url, kUrls},
    {"value", kMember, 1, 1, optional_value, kOptional},
});
static_assert(std::ranges::is_sorted(kFunctions, {}, &Function::name));

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

std::span<const Function> functions() { return kFunctions; }

const Function* find_function(std::string_view name, bool as_member) {
  const auto* found = std::ranges::lower_bound(kFunctions, name, {}, &Function::name);
  if (found == kFunctions.end() || found->name != name) return nullptr;
  const auto other = as_member ? kGlobal : kMember;
  return found->style == other ? nullptr : found;
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
