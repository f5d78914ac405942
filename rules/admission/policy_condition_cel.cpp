// A condition is true, false or unknown (policy_evaluation.h), and a policy reports only what is
// certain. So a condition is not translated to a truth but to an expression that holds if the
// condition certainly has a given truth. Negation changes that truth only: the expression of `not`
// is that of its part.
#include "rules/admission/policy_condition_cel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace cnsched::rules {

namespace {

/// The quantity as a number of CEL.
std::string cel_double(const Quantity& quantity) {
  constexpr double kThousand = 1000.0;
  if (quantity.is_integer()) return fmt::format("{}.0", quantity.value());
  return fmt::format("{:.3f}", static_cast<double>(quantity.milli_value()) / kThousand);
}

}  // namespace

std::string in_one_line(std::string_view text) {
  std::string line(text);
  std::ranges::replace_if(
      line, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return line;
}

std::string ConditionWriter::certain(const Condition& condition, Quantifier quantifier, bool wanted,
                                     const CelItem& item) {
  if (condition.kind == Condition::Kind::negation) {
    return certain(condition.parts.front(), !quantifier, !wanted, item);
  }
  if (condition.kind == Condition::Kind::field) {
    return certain_field(condition, quantifier, wanted, item);
  }
  const bool needs_all = (condition.kind == Condition::Kind::all) == wanted;
  std::string result(needs_all ? kCelTrue : kCelFalse);
  for (const Condition& part : condition.parts) {
    const std::string each = certain(part, quantifier, wanted, item);
    result = needs_all ? cel_and(result, each) : cel_or(result, each);
  }
  return result;
}

std::string ConditionWriter::certain_field(const Condition& condition, Quantifier quantifier,
                                           bool wanted, const CelItem& item) {
  const CelValues values = fields_.values_of(condition.field, item);
  if (!values.exists) return std::string(kCelFalse);
  const std::string is_set = values.exists([](const auto&) { return std::string(kCelTrue); });
  std::string result(wanted ? kCelTrue : kCelFalse);
  for (const Test& test : condition.other_tests) {
    std::string each;
    if (test.op == Operator::exists || test.op == Operator::absent) {
      const bool wants_value = (test.op == Operator::exists) == wanted;
      each = wants_value ? is_set : cel_and(cel_not(is_set), cel_not(values.open_if_empty));
    } else if (test.op == Operator::count) {
      each = certain_count(condition.field, values, test, wanted);
    } else {
      each = certain_items(condition.field, values, test, wanted);
    }
    result = wanted ? cel_and(result, each) : cel_or(result, each);
  }
  if (condition.value_tests.empty()) return result;
  const std::string each = certain_values(condition, values, quantifier, wanted);
  return wanted ? cel_and(result, each) : cel_or(result, each);
}

std::string ConditionWriter::certain_values(const Condition& condition, const CelValues& values,
                                            Quantifier quantifier, bool wanted) {
  const bool passes = std::ranges::all_of(condition.value_tests, passes_absent, &Test::op);
  const std::string is_set = values.exists([](const auto&) { return std::string(kCelTrue); });
  const std::string if_empty = passes == wanted
                                   ? cel_and(cel_not(is_set), cel_not(values.open_if_empty))
                                   : std::string(kCelFalse);
  // One value decides: it fails a test that every one must pass, or passes one that some must.
  if ((quantifier == Quantifier::some) == wanted) {
    const std::string one = values.exists(
        [&](const std::string& value) { return certain_value(condition, values, value, wanted); });
    return cel_or(one, if_empty);
  }
  const std::string other = values.exists([&](const std::string& value) {
    return cel_not(certain_value(condition, values, value, wanted));
  });
  return cel_or(cel_and(cel_and(is_set, cel_not(values.open_if_set)), cel_not(other)), if_empty);
}

std::string ConditionWriter::certain_value(const Condition& condition, const CelValues& values,
                                           const std::string& value, bool wanted) {
  std::string result(wanted ? kCelTrue : kCelFalse);
  for (const Test& test : condition.value_tests) {
    const std::string each = values.is_amount ? certain_amount(values, test, value, wanted)
                                              : certain_test(values, test, value, wanted);
    result = wanted ? cel_and(result, each) : cel_or(result, each);
  }
  return result;
}

std::string ConditionWriter::certain_test(const CelValues& values, const Test& test,
                                          const std::string& value, bool wanted) {
  const std::string text =
      values.is_text ? fmt::format("string({})", value) : fmt::format("scalar_text({})", value);
  const auto compared = [&](std::string_view op) {
    const std::string compares = fmt::format("quantity({}).compareTo(quantity({})) {} 0", text,
                                             cel_string(test.bound.canonical()), op);
    return fmt::format("(isQuantity({}) && {}({}))", text, wanted ? "" : "!", compares);
  };
  switch (test.op) {
    case Operator::in:
    case Operator::not_in: {
      std::string found = fmt::format("{} in {}", text, cel_strings(test.words));
      std::vector<std::string> numbers;
      for (const auto& number : test.numbers) {
        if (number) numbers.push_back(fmt::format("quantity({})", cel_string(number->canonical())));
      }
      if (!numbers.empty()) {
        found +=
            fmt::format(" || isQuantity({0}) && [{1}].exists(q, quantity({0}).compareTo(q) == 0)",
                        text, fmt::join(numbers, ", "));
      }
      const bool is_wanted = (test.op == Operator::in) == wanted;
      return fmt::format("{}({})", is_wanted ? "" : "!", found);
    }
    case Operator::matches:
    case Operator::not_matches: {
      std::string found(kCelFalse);
      for (const std::string& pattern : test.written) {
        found = cel_or(found, fmt::format("{}.matches({})", text, cel_string(pattern)));
      }
      return (test.op == Operator::matches) == wanted ? found : cel_not(found);
    }
    case Operator::at_least:
      return compared(">=");
    case Operator::less_than:
      return compared("<");
    case Operator::at_most:
      return compared("<=");
    case Operator::more_than:
      return compared(">");
    default:
      return std::string(kCelFalse);
  }
}

/// Numbers of CEL are sums of rounded ones: they are the same if they almost are.
std::string ConditionWriter::certain_amount(const CelValues& values, const Test& test,
                                            const std::string& value, bool wanted) {
  constexpr double kRounding = 1e-9;
  const auto near = [&](std::string_view low_or_high, const Quantity& bound) {
    return fmt::format("{} {} {} {} {:e}", value, low_or_high == "<" ? "<" : ">", cel_double(bound),
                       low_or_high == "<" ? "+" : "-",
                       std::max(1.0, static_cast<double>(bound.value())) * kRounding);
  };
  const std::string is_exact = cel_not(values.is_lower_bound);
  const auto at_least = [&](bool holds) {
    const std::string text = fmt::format("({})", near(">", test.bound));
    return holds ? text : cel_and(is_exact, cel_not(text));
  };
  const auto at_most = [&](bool holds) {
    const std::string text = fmt::format("({})", near("<", test.bound));
    return holds ? cel_and(is_exact, text) : cel_not(text);
  };
  switch (test.op) {
    case Operator::in:
    case Operator::not_in: {
      std::string found(kCelFalse);
      for (const auto& number : test.numbers) {
        if (number) {
          found = cel_or(found, fmt::format("({} && {})", near(">", *number), near("<", *number)));
        }
      }
      return cel_and(is_exact, (test.op == Operator::in) == wanted ? found : cel_not(found));
    }
    case Operator::at_least:
      return at_least(wanted);
    case Operator::less_than:
      return at_least(!wanted);
    case Operator::at_most:
      return at_most(wanted);
    case Operator::more_than:
      return at_most(!wanted);
    default:
      return fields_.fail("matches", "a number is not compared with patterns");
  }
}

std::string ConditionWriter::certain_items(const FieldRef& field, const CelValues& values,
                                           const Test& test, bool wanted) {
  if (values.is_several)
    return fields_.fail(field.text, "tests of items behind '*' have no translation");
  const bool wants_all = test.op == Operator::all;
  const Quantifier quantifier = wants_all ? Quantifier::every : Quantifier::some;
  const bool is_found = test.op == Operator::none ? !wanted : wanted;
  const auto exists = [&](const Holds& holds) {
    if (!values.is_pointer) return values.exists(holds);
    const std::string item = fields_.variable();
    return values.exists([&](const std::string& value) {
      return fmt::format("items_of({}).exists({}, {})", value, item, holds(item));
    });
  };
  const std::string open = values.items_are_open ? values.open_if_empty : std::string(kCelFalse);
  // One item decides.
  if (wants_all != is_found) {
    return exists([&](const std::string& item) {
      return certain(test.item.front(), quantifier, is_found, {item, open});
    });
  }
  const std::string other = exists([&](const std::string& item) {
    return cel_not(certain(test.item.front(), quantifier, is_found, {item, open}));
  });
  return cel_and(cel_not(values.open_items), cel_not(other));
}

std::string ConditionWriter::certain_count(const FieldRef& field, const CelValues& values,
                                           const Test& test, bool wanted) {
  if (values.is_several || !(values.is_pointer || field_of(field.id).kind == FieldKind::items)) {
    return fields_.fail(field.text, "'count' has no translation for it");
  }
  CelValues count;
  count.is_lower_bound = values.open_items;
  count.is_amount = true;
  Condition condition{.kind = Condition::Kind::field, .field = field};
  for (const Test& each : test.counted) condition.add(each);
  const auto counted = [&](const std::string& number) {
    const std::string name = fields_.variable();
    return fmt::format("[{}].exists({}, {})", number, name,
                       certain_value(condition, count, name, wanted));
  };
  if (!values.is_pointer) return counted(fmt::format("double({}.size())", values.list));
  const std::string is_set = values.exists([](const auto&) { return std::string(kCelTrue); });
  const std::string of_none =
      cel_and(cel_and(cel_not(is_set), cel_not(values.open_if_empty)), counted("0.0"));
  return cel_or(values.exists([&](const std::string& value) {
    return counted(fmt::format("double(items_of({}).size())", value));
  }),
                of_none);
}

/// The value of a field that has one: "priorityClassName is 'x': ".
std::string ConditionWriter::subject(const Condition& condition) {
  if (condition.kind != Condition::Kind::field) return "''";
  const FieldRef& field = condition.field;
  const NamedField& named = field_of(field.id);
  const bool is_shown =
      named.kind == FieldKind::text && !named.several && field.id != FieldId::mode;
  if (!is_shown) return "''";
  const CelValues values = fields_.values_of(field, {});
  if (values.list.empty()) return "''";
  return fmt::format("({}.map(v, {} + string(v) + \"': \") + [{}])[0]", values.list,
                     cel_string(fmt::format("{} is '", in_one_line(field.text))),
                     cel_string(fmt::format("{} is not set: ", in_one_line(field.text))));
}

}  // namespace cnsched::rules
