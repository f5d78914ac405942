// Functions of lists and sets.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/cel/functions.h"

namespace cnsched::cel {

namespace {

/// The items of a list; nothing for other values, or if the budget is spent.
std::optional<std::vector<Value>> items_of(Context& context, const Value& value) {
  if (!value.is(Kind::list)) return std::nullopt;
  const List& list = value.list();
  if (!context.charge(list.size())) return std::nullopt;
  std::vector<Value> items;
  items.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    items.push_back(list.at(i));
    if (!items.back().is_failure()) continue;
    context.stop(items.back());
    return std::nullopt;
  }
  return items;
}

bool has_item(Context& context, const std::vector<Value>& items, const Value& item) {
  return std::ranges::any_of(items, [&](const Value& each) { return context.equal(each, item); });
}

bool has_all(Context& context, const std::vector<Value>& items, const std::vector<Value>& wanted) {
  return std::ranges::all_of(wanted,
                             [&](const Value& each) { return has_item(context, items, each); });
}

template <bool kLargest>
Value extreme(Context& context, Arguments arguments) {
  const auto items = items_of(context, arguments[0]);
  if (!items) return no_such_overload();
  if (!items->empty()) return extreme_of(*items, kLargest);
  return Value::error(fmt::format("{} called on empty list", kLargest ? "max" : "min"));
}

template <bool kLast>
Value index_of(Context& context, Arguments arguments) {
  if (arguments[0].is(Kind::string)) return index_in_text(context, arguments, kLast);
  const auto items = items_of(context, arguments[0]);
  if (!items || arguments.size() != 2) return no_such_overload();
  for (std::size_t i = 0; i < items->size(); ++i) {
    const std::size_t at = kLast ? items->size() - 1 - i : i;
    if (context.equal(items->at(at), arguments[1])) return Value::integer(at);
  }
  return std::int64_t{-1};
}

/// Appends the item, or its own items to that depth.
bool flatten_into(Context& context, const Value& item, std::int64_t depth,
                  std::vector<Value>& flat) {
  if (!item.is(Kind::list) || depth == 0) {
    flat.push_back(item);
    return true;
  }
  const auto items = items_of(context, item);
  return items && std::ranges::all_of(*items, [&](const Value& each) {
           return flatten_into(context, each, depth - 1, flat);
         });
}

Value sort_list(Context& context, Arguments arguments) {
  const auto items = items_of(context, arguments[0]);
  return items ? sort_by_keys(context, arguments[0].list(), *items) : no_such_overload();
}

Value is_sorted(Context& context, Arguments arguments) {
  const auto items = items_of(context, arguments[0]);
  if (!items) return no_such_overload();
  for (std::size_t i = 1; i < items->size(); ++i) {
    const auto order = compare(items->at(i - 1), items->at(i));
    if (!order) return no_such_overload();
    if (*order == std::partial_ordering::unordered) return Value::unknown("the order of NaN");
    if (*order == std::partial_ordering::greater) return false;
  }
  return true;
}

Value list_sum(Context& context, Arguments arguments) {
  const auto items = items_of(context, arguments[0]);
  if (!items) return no_such_overload();
  if (items->empty()) return std::int64_t{0};
  Value sum = items->front();
  if (!sum.is_number() && !sum.is(Kind::duration)) return no_such_overload();
  for (std::size_t i = 1; i < items->size(); ++i) {
    sum = add_values(context, sum, items->at(i));
    if (sum.is_failure()) return sum;
  }
  return sum;
}

Value slice(Context& context, Arguments arguments) {
  const auto items = items_of(context, arguments[0]);
  if (!items) return no_such_overload();
  const auto begin = arguments[1].get<std::int64_t>();
  const auto end = arguments[2].get<std::int64_t>();
  if (begin < 0 || end < begin || static_cast<std::uint64_t>(end) > items->size()) {
    return Value::error(
        fmt::format("cannot slice({}, {}), list is length {}", begin, end, items->size()));
  }
  return Value::list({items->begin() + begin, items->begin() + end});
}

Value flatten(Context& context, Arguments arguments) {
  const auto items = items_of(context, arguments[0]);
  if (!items) return no_such_overload();
  const std::int64_t depth = arguments.size() > 1 ? arguments[1].get<std::int64_t>() : 1;
  if (depth < 0) return Value::error("level must be non-negative");
  std::vector<Value> flat;
  for (const Value& each : *items) {
    if (!flatten_into(context, each, depth, flat)) break;  // the budget is spent
  }
  return Value::list(std::move(flat));
}

Value distinct(Context& context, Arguments arguments) {
  const auto items = items_of(context, arguments[0]);
  if (!items) return no_such_overload();
  std::vector<Value> different;
  for (const Value& each : *items) {
    if (!context.charge(1)) return {};
    if (!has_item(context, different, each)) different.push_back(each);
  }
  return Value::list(std::move(different));
}

Value reverse(Context& context, Arguments arguments) {
  if (arguments[0].is(Kind::string)) return reverse_text(context, arguments);
  auto items = items_of(context, arguments[0]);
  if (!items) return no_such_overload();
  std::ranges::reverse(*items);
  return Value::list(*std::move(items));
}

Value first_item(Context& /*context*/, Arguments arguments) {
  const List& list = arguments[0].list();
  return Value::optional(list.size() == 0 ? std::nullopt : Optional(list.at(0)));
}

Value last_item(Context& /*context*/, Arguments arguments) {
  const List& list = arguments[0].list();
  return Value::optional(list.size() == 0 ? std::nullopt : Optional(list.at(list.size() - 1)));
}

Value list_range(Context& context, Arguments arguments) {
  const auto count = arguments[0].get<std::int64_t>();
  if (count > 0 && !context.charge(static_cast<std::uint64_t>(count))) return {};
  std::vector<Value> items;
  for (std::int64_t i = 0; i < count; ++i) items.emplace_back(i);
  return Value::list(std::move(items));
}

Value sets_contains(Context& context, Arguments arguments) {
  const auto items = items_of(context, arguments[0]);
  const auto wanted = items_of(context, arguments[1]);
  if (!items || !wanted) return no_such_overload();
  return has_all(context, *items, *wanted);
}

Value sets_equivalent(Context& context, Arguments arguments) {
  const auto a = items_of(context, arguments[0]);
  const auto b = items_of(context, arguments[1]);
  if (!a || !b) return no_such_overload();
  return has_all(context, *a, *b) && has_all(context, *b, *a);
}

Value sets_intersects(Context& context, Arguments arguments) {
  const auto a = items_of(context, arguments[0]);
  const auto b = items_of(context, arguments[1]);
  if (!a || !b) return no_such_overload();
  return std::ranges::any_of(*b, [&](const Value& each) { return has_item(context, *a, each); });
}

}  // namespace

Value extreme_of(const std::vector<Value>& items, bool largest) {
  const auto wanted = largest ? std::partial_ordering::greater : std::partial_ordering::less;
  Value best = items.front();
  for (const Value& each : items) {
    const auto order = compare(each, best);
    if (!order) return no_such_overload();
    if (*order == std::partial_ordering::unordered) return Value::unknown("the order of NaN");
    if (*order == wanted) best = each;
  }
  return best;
}

Value sort_by_keys(Context& context, const List& list, const std::vector<Value>& keys) {
  constexpr std::uint64_t kComparisons = 32;  // for each item: a logarithm
  if (!context.charge(kComparisons * keys.size())) return {};
  for (const Value& key : keys) {
    const auto order = compare(key, keys.front());
    if (!order || key.kind() != keys.front().kind()) {
      return Value::error("list elements must be comparable and of the same type");
    }
    if (*order == std::partial_ordering::unordered) return Value::unknown("the order of NaN");
    if (key.is(Kind::string) && !context.charge(kComparisons * key.text().size() / 16)) return {};
  }
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return compare(keys[a], keys[b]) == std::partial_ordering::less;
  });
  std::vector<Value> sorted;
  sorted.reserve(order.size());
  for (const std::size_t each : order) sorted.push_back(list.at(each));
  return Value::list(std::move(sorted));
}

std::span<const Function> list_functions() {
  static constexpr auto kFunctions = std::to_array<Function>({
      {"distinct", kMember, "l", distinct},
      {"first", kMember, "l", first_item},
      {"flatten", kMember, "l[i", flatten},
      {"indexOf", kMember, "..[i", index_of<false>},
      {"isSorted", kMember, "l", is_sorted},
      {"last", kMember, "l", last_item},
      {"lastIndexOf", kMember, "..[i", index_of<true>},
      {"lists.range", kGlobal, "i", list_range},
      {"max", kMember, "l", extreme<true>},
      {"min", kMember, "l", extreme<false>},
      {"reverse", kMember, ".", reverse},
      {"sets.contains", kGlobal, "ll", sets_contains},
      {"sets.equivalent", kGlobal, "ll", sets_equivalent},
      {"sets.intersects", kGlobal, "ll", sets_intersects},
      {"slice", kMember, "lii", slice},
      {"sort", kMember, "l", sort_list},
      {"sum", kMember, "l", list_sum},
  });
  return kFunctions;
}

}  // namespace cnsched::cel
