// A condition is true, false or unknown (PolicyEvaluation), and a policy reports only what is
// certain. So a condition is not translated to a truth but to an expression that holds if the
// condition certainly has a given truth. Negation changes that truth only: the expression of `not`
// is that of its part.
//
// Values of a field are visited by nested `exists`, because CEL cannot flatten lists: a step `*` of
// a JSON Pointer is one of them. Every text of a policy is a literal (cel_string).
#include "rules/admission/policy_cel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "core/base/ascii.h"
#include "core/base/text.h"
#include "rules/policy/policy_evaluation.h"

namespace cnsched::rules {

namespace {

constexpr std::string_view kTrue = "true";
constexpr std::string_view kFalse = "false";

std::string both(const std::string& a, const std::string& b) {
  if (a == kFalse || b == kFalse) return std::string(kFalse);
  if (a == kTrue) return b;
  return b == kTrue ? a : fmt::format("({} && {})", a, b);
}

std::string either(const std::string& a, const std::string& b) {
  if (a == kTrue || b == kTrue) return std::string(kTrue);
  if (a == kFalse) return b;
  return b == kFalse ? a : fmt::format("({} || {})", a, b);
}

std::string negated(const std::string& a) {
  if (a == kTrue) return std::string(kFalse);
  return a == kFalse ? std::string(kTrue) : fmt::format("!({})", a);
}

std::string cel_texts(const std::vector<std::string>& texts) {
  std::vector<std::string> items;
  for (const std::string& text : texts) items.push_back(cel_string(text));
  return fmt::format("[{}]", fmt::join(items, ", "));
}

/// A text of a policy in a message: one line.
std::string in_one_line(std::string_view text) {
  std::string line(text);
  std::ranges::replace_if(
      line, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return line;
}

// Patterns of names.

std::string literal_of_pattern(char c) {
  const bool is_special = std::string_view(R"(\.+*?()|[]{}^$)").find(c) != std::string_view::npos;
  return is_special ? std::string{'\\', c} : std::string(1, c);
}

/// "a-f" in a set, without '/'.
std::string range_in_set(char low, char high) {
  const auto shown = [](int from, int to) {
    return from > to ? std::string() : fmt::format("\\x{:02x}-\\x{:02x}", from, to);
  };
  if (low <= '/' && '/' <= high) return shown(low, '/' - 1) + shown('/' + 1, high);
  return shown(low, high);
}

/// The set `inner`, without its brackets, as a regular expression.
std::string regex_of_set(std::string_view inner) {
  const bool is_negated = inner.starts_with('!') || inner.starts_with('^');
  if (is_negated) inner.remove_prefix(1);
  std::string ranges;
  for (std::size_t i = 0; i < inner.size(); ++i) {
    if (inner[i] == '\\' && i + 1 < inner.size()) ++i;
    const char low = inner[i];
    const bool is_range = i + 2 < inner.size() && inner[i + 1] == '-';
    ranges += range_in_set(low, is_range ? inner[i + 2] : low);
    if (is_range) i += 2;
  }
  if (is_negated) return fmt::format("[^/{}]", ranges);
  return ranges.empty() ? "[^\\x{0}-\\x{10FFFF}]" : fmt::format("[{}]", ranges);
}

/// Where the set that opens at `open` ends; npos if it does not.
std::size_t end_of_set(std::string_view glob, std::size_t open) {
  std::size_t end = open + 1;
  if (end < glob.size() && (glob[end] == '!' || glob[end] == '^')) ++end;
  if (end < glob.size() && glob[end] == ']') ++end;
  while (end < glob.size() && glob[end] != ']') end += glob[end] == '\\' ? 2 : 1;
  return end < glob.size() ? end : std::string_view::npos;
}

/// The regular expression for wildmatch(glob, …); nothing if none is written for it.
std::optional<std::string> regex_of(std::string_view glob) {
  const bool has_others =
      glob.find("**") != std::string_view::npos ||
      std::ranges::any_of(glob, [](char c) { return static_cast<unsigned char>(c) > '~'; });
  if (has_others) return std::nullopt;
  std::string regex;
  for (std::size_t i = 0; i < glob.size(); ++i) {
    if (glob[i] == '*') {
      regex += "[^/]*";
    } else if (glob[i] == '?') {
      regex += "[^/]";
    } else if (glob[i] == '[' && end_of_set(glob, i) != std::string_view::npos) {
      const std::size_t end = end_of_set(glob, i);
      regex += regex_of_set(glob.substr(i + 1, end - i - 1));
      i = end;
    } else {
      if (glob[i] == '\\' && i + 1 < glob.size()) ++i;
      regex += literal_of_pattern(glob[i]);
    }
  }
  return regex;
}

bool passes_if_absent(Operator op) { return op == Operator::not_in || op == Operator::not_matches; }

/// Writes the values of a field: an expression that holds if one of them does what `Holds` writes
/// for the variable of that name.
using Holds = std::function<std::string(const std::string& variable)>;

/// The values of a field, and the expressions for what is not known about them (FieldValues).
struct CelValues {
  std::function<std::string(const Holds&)> exists;
  std::string open_if_empty{kFalse};
  std::string open_if_set{kFalse};
  std::string open_items{kFalse};  ///< of the items of a value, or of a list of items
  std::string is_lower_bound{kFalse};
  bool is_amount = false;       ///< each value is a number of CEL
  bool is_text = false;         ///< each value is a text
  bool is_pointer = false;      ///< at most one value, which may be a list
  bool is_several = false;      ///< of a JSON Pointer with `*`
  std::string list{};           ///< of items
  bool items_are_open = false;  ///< items may have more fields, as open as the list
};

/// Translates conditions of a policy.
class ConditionWriter {
 public:
  ConditionWriter(AdmissionCheck::Of of, bool has_pods) : of_(of), has_pods_(has_pods) {}

  /// Whether the condition certainly is true, or false.
  std::string certain(const Condition& condition, Quantifier quantifier, bool wanted) {
    return certain(condition, quantifier, wanted, {});
  }
  /// Of what applies to one pod or object; the keys of the object are in `of_object`.
  std::string applies(const Match& match, bool wanted);
  std::string of_object(const Match& match, const std::string& object);
  /// What the condition is about, as the beginning of a message.
  std::string subject(const Condition& condition);

  /// Why the policy cannot be translated; empty if it can.
  const std::string& mistake() const { return mistake_; }
  std::string fail(std::string_view field, std::string_view why) {
    if (mistake_.empty()) mistake_ = fmt::format("'{}': {}", printable(field), why);
    return std::string(kFalse);
  }

 private:
  /// The item of a list that a condition is about.
  struct Item {
    std::string variable{};
    std::string is_open{kFalse};
  };

  std::string certain(const Condition& condition, Quantifier quantifier, bool wanted,
                      const Item& item);
  std::string certain_field(const Condition& condition, Quantifier quantifier, bool wanted,
                            const Item& item);
  std::string certain_values(const Condition& condition, const CelValues& values,
                             Quantifier quantifier, bool wanted);
  std::string certain_value(const Condition& condition, const CelValues& values,
                            const std::string& value, bool wanted);
  std::string certain_test(const CelValues& values, const Test& test, const std::string& value,
                           bool wanted);
  std::string certain_amount(const CelValues& values, const Test& test, const std::string& value,
                             bool wanted);
  std::string certain_items(const FieldRef& field, const CelValues& values, const Test& test,
                            bool wanted);
  std::string certain_count(const FieldRef& field, const CelValues& values, const Test& test,
                            bool wanted);

  CelValues values_of(const FieldRef& field, const Item& item);
  CelValues pod_values(const FieldRef& field);
  CelValues node_labels(const std::string& key);
  CelValues device_count();
  CelValues device_names();
  CelValues amount(const std::string& resource, bool limits);
  CelValues images();
  CelValues scheduler();
  CelValues mode();
  CelValues pod_pointer(const FieldRef& field);
  CelValues at_path(const std::string& root, std::span<const std::string> path);
  CelValues of_list(std::string list);
  CelValues entry(const std::string& map, const std::string& key, std::string open);
  std::string matches(const std::string& text, const Match::Patterns& patterns,
                      std::string_view key);
  std::string has_labels(const std::string& object, std::string_view key,
                         const std::vector<std::pair<std::string, Match::Patterns>>& wanted);

  std::string object() const { return of_ == AdmissionCheck::Of::pod ? "pod.object" : "object"; }
  std::string variable() { return fmt::format("v{}", ++variables_); }

  AdmissionCheck::Of of_;
  bool has_pods_;
  std::size_t variables_ = 0;
  std::string mistake_{};
};

std::string ConditionWriter::certain(const Condition& condition, Quantifier quantifier, bool wanted,
                                     const Item& item) {
  if (condition.kind == Condition::Kind::negation) {
    return certain(condition.parts.front(), !quantifier, !wanted, item);
  }
  if (condition.kind == Condition::Kind::field) {
    return certain_field(condition, quantifier, wanted, item);
  }
  const bool needs_all = (condition.kind == Condition::Kind::all) == wanted;
  std::string result(needs_all ? kTrue : kFalse);
  for (const Condition& part : condition.parts) {
    const std::string each = certain(part, quantifier, wanted, item);
    result = needs_all ? both(result, each) : either(result, each);
  }
  return result;
}

std::string ConditionWriter::certain_field(const Condition& condition, Quantifier quantifier,
                                           bool wanted, const Item& item) {
  const CelValues values = values_of(condition.field, item);
  if (!values.exists) return std::string(kFalse);
  const std::string is_set = values.exists([](const auto&) { return std::string(kTrue); });
  std::string result(wanted ? kTrue : kFalse);
  for (const Test& test : condition.other_tests) {
    std::string each;
    if (test.op == Operator::exists || test.op == Operator::absent) {
      const bool wants_value = (test.op == Operator::exists) == wanted;
      each = wants_value ? is_set : both(negated(is_set), negated(values.open_if_empty));
    } else if (test.op == Operator::count) {
      each = certain_count(condition.field, values, test, wanted);
    } else {
      each = certain_items(condition.field, values, test, wanted);
    }
    result = wanted ? both(result, each) : either(result, each);
  }
  if (condition.value_tests.empty()) return result;
  const std::string each = certain_values(condition, values, quantifier, wanted);
  return wanted ? both(result, each) : either(result, each);
}

std::string ConditionWriter::certain_values(const Condition& condition, const CelValues& values,
                                            Quantifier quantifier, bool wanted) {
  const bool passes = std::ranges::all_of(condition.value_tests, passes_if_absent, &Test::op);
  const std::string is_set = values.exists([](const auto&) { return std::string(kTrue); });
  const std::string if_empty =
      passes == wanted ? both(negated(is_set), negated(values.open_if_empty)) : std::string(kFalse);
  // One value decides: it fails a test that every one must pass, or passes one that some must.
  if ((quantifier == Quantifier::some) == wanted) {
    const std::string one = values.exists(
        [&](const std::string& value) { return certain_value(condition, values, value, wanted); });
    return either(one, if_empty);
  }
  const std::string other = values.exists([&](const std::string& value) {
    return negated(certain_value(condition, values, value, wanted));
  });
  return either(both(both(is_set, negated(values.open_if_set)), negated(other)), if_empty);
}

std::string ConditionWriter::certain_value(const Condition& condition, const CelValues& values,
                                           const std::string& value, bool wanted) {
  std::string result(wanted ? kTrue : kFalse);
  for (const Test& test : condition.value_tests) {
    const std::string each = values.is_amount ? certain_amount(values, test, value, wanted)
                                              : certain_test(values, test, value, wanted);
    result = wanted ? both(result, each) : either(result, each);
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
      std::string found = fmt::format("{} in {}", text, cel_texts(test.words));
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
      std::string found(kFalse);
      for (const std::string& pattern : test.written) {
        found = either(found, fmt::format("{}.matches({})", text, cel_string(pattern)));
      }
      return (test.op == Operator::matches) == wanted ? found : negated(found);
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
      return std::string(kFalse);
  }
}

/// The quantity as a number of CEL.
std::string cel_double(const Quantity& quantity) {
  constexpr double kThousand = 1000.0;
  if (quantity.is_integer()) return fmt::format("{}.0", quantity.value());
  return fmt::format("{:.3f}", static_cast<double>(quantity.milli_value()) / kThousand);
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
  const std::string is_exact = negated(values.is_lower_bound);
  const auto at_least = [&](bool holds) {
    const std::string text = fmt::format("({})", near(">", test.bound));
    return holds ? text : both(is_exact, negated(text));
  };
  const auto at_most = [&](bool holds) {
    const std::string text = fmt::format("({})", near("<", test.bound));
    return holds ? both(is_exact, text) : negated(text);
  };
  switch (test.op) {
    case Operator::in:
    case Operator::not_in: {
      std::string found(kFalse);
      for (const auto& number : test.numbers) {
        if (number) {
          found = either(found, fmt::format("({} && {})", near(">", *number), near("<", *number)));
        }
      }
      return both(is_exact, (test.op == Operator::in) == wanted ? found : negated(found));
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
      return fail("matches", "a number is not compared with patterns");
  }
}

std::string ConditionWriter::certain_items(const FieldRef& field, const CelValues& values,
                                           const Test& test, bool wanted) {
  if (values.is_several) return fail(field.text, "tests of items behind '*' have no translation");
  const bool wants_all = test.op == Operator::all;
  const Quantifier quantifier = wants_all ? Quantifier::every : Quantifier::some;
  const bool is_found = test.op == Operator::none ? !wanted : wanted;
  const auto exists = [&](const Holds& holds) {
    if (!values.is_pointer) return values.exists(holds);
    const std::string item = variable();
    return values.exists([&](const std::string& value) {
      return fmt::format("items_of({}).exists({}, {})", value, item, holds(item));
    });
  };
  const std::string open = values.items_are_open ? values.open_if_empty : std::string(kFalse);
  // One item decides.
  if (wants_all != is_found) {
    return exists([&](const std::string& item) {
      return certain(test.item.front(), quantifier, is_found, {item, open});
    });
  }
  const std::string other = exists([&](const std::string& item) {
    return negated(certain(test.item.front(), quantifier, is_found, {item, open}));
  });
  return both(negated(values.open_items), negated(other));
}

std::string ConditionWriter::certain_count(const FieldRef& field, const CelValues& values,
                                           const Test& test, bool wanted) {
  if (values.is_several || !(values.is_pointer || field_of(field.id).kind == FieldKind::items)) {
    return fail(field.text, "'count' has no translation for it");
  }
  CelValues count;
  count.is_lower_bound = values.open_items;
  count.is_amount = true;
  Condition condition{.kind = Condition::Kind::field, .field = field};
  for (const Test& each : test.counted) condition.add(each);
  const auto counted = [&](const std::string& number) {
    const std::string name = variable();
    return fmt::format("[{}].exists({}, {})", number, name,
                       certain_value(condition, count, name, wanted));
  };
  if (!values.is_pointer) return counted(fmt::format("double({}.size())", values.list));
  const std::string is_set = values.exists([](const auto&) { return std::string(kTrue); });
  const std::string of_none =
      both(both(negated(is_set), negated(values.open_if_empty)), counted("0.0"));
  return either(values.exists([&](const std::string& value) {
    return counted(fmt::format("double(items_of({}).size())", value));
  }),
                of_none);
}

// Fields.

CelValues ConditionWriter::of_list(std::string list) {
  CelValues values;
  values.exists = [this, list](const Holds& holds) {
    const std::string each = variable();
    const std::string text = holds(each);
    if (text == kFalse) return std::string(kFalse);
    return text == kTrue ? fmt::format("({}.size() > 0)", list)
                         : fmt::format("{}.exists({}, {})", list, each, text);
  };
  values.list = std::move(list);
  return values;
}

/// The value of a key in a map of texts.
CelValues ConditionWriter::entry(const std::string& map, const std::string& key, std::string open) {
  CelValues values = of_list(fmt::format("child({}, {})", map, cel_string(key)));
  values.is_text = true;
  values.open_if_empty = std::move(open);
  return values;
}

CelValues ConditionWriter::at_path(const std::string& root, std::span<const std::string> path) {
  CelValues values;
  values.is_several = std::ranges::find(path, "*") != path.end();
  values.is_pointer = !values.is_several;
  values.exists = [this, root,
                   path = std::vector<std::string>(path.begin(), path.end())](const Holds& holds) {
    std::vector<std::string> variables = {root};
    std::vector<std::string> lists;
    for (const std::string& step : path) {
      const std::string& node = variables.back();
      const std::string key = cel_string(step);
      // A number is an index in a list, and a key in a map.
      const bool is_number = !step.empty() && step.size() < 6 &&
                             std::ranges::all_of(step, [](char c) { return is_digit(c); }) &&
                             (step == "0" || step.front() != '0');
      lists.push_back(step == "*" ? fmt::format("children({})", node)
                      : is_number
                          ? fmt::format("(child({0}, {1}) + child_at({0}, {2}))", node, key, step)
                          : fmt::format("child({}, {})", node, key));
      variables.push_back(variable());
    }
    std::string text = holds(variables.back());
    if (text == kFalse) return text;
    for (std::size_t i = lists.size(); i-- > 0;) {
      text = text == kTrue ? fmt::format("({}.size() > 0)", lists[i])
                           : fmt::format("{}.exists({}, {})", lists[i], variables[i + 1], text);
    }
    return text;
  };
  return values;
}

CelValues ConditionWriter::values_of(const FieldRef& field, const Item& item) {
  if (field.id == FieldId::item) {
    CelValues values;
    values.is_pointer = true;
    values.open_items = item.is_open;
    values.exists = [variable = item.variable](const Holds& holds) { return holds(variable); };
    return values;
  }
  if (field.id == FieldId::item_path) {
    CelValues values = at_path(item.variable, field.path);
    values.open_if_empty = item.is_open;
    values.open_items = item.is_open;
    if (values.is_several) values.open_if_set = item.is_open;
    return values;
  }
  switch (field.id) {
    case FieldId::object_labels:
      return entry(fmt::format("map_of({}.metadata.?labels)", object()), field.key, "false");
    case FieldId::object_annotations:
      return entry(fmt::format("map_of({}.metadata.?annotations)", object()), field.key, "false");
    case FieldId::object_pointer:
      return at_path(object(), field.path);
    case FieldId::pod_pointer:
      return pod_pointer(field);
    default:
      break;
  }
  // An object without pods has no such fields.
  return has_pods_ ? pod_values(field) : of_list("[]");
}

CelValues ConditionWriter::pod_values(const FieldRef& field) {
  const auto items = [&](const std::string& list) {
    CelValues values = of_list(list);
    values.open_if_empty = values.open_if_set = values.open_items = "(pod.open || pod.merged)";
    values.items_are_open = true;
    return values;
  };
  switch (field.id) {
    case FieldId::node_selector:
      return entry("pod.nodeSelector", field.key, "pod.open");
    case FieldId::node_labels:
      return node_labels(field.key);
    case FieldId::tolerations: {
      CelValues values = of_list("list(pod.spec.?tolerations)");
      values.open_if_empty = values.open_if_set = values.open_items = "pod.open";
      return values;
    }
    case FieldId::accelerator_count:
      return device_count();
    case FieldId::accelerator_resource:
      return device_names();
    case FieldId::limits:
      return amount(field.key, true);
    case FieldId::requests:
      return amount(field.key, false);
    case FieldId::containers:
      return items("pod.containers");
    case FieldId::init_containers:
      return items("list(pod.spec.?initContainers)");
    case FieldId::image:
      return images();
    case FieldId::priority_class:
    case FieldId::runtime_class:
    case FieldId::service_account:
      return entry("pod.spec", field.text, "pod.open");
    case FieldId::scheduler:
      return scheduler();
    case FieldId::replicas: {
      CelValues values = of_list("pod.replicas.map(n, double(n))");
      values.is_amount = true;
      values.open_if_empty = "(pod.replicas.size() == 0)";
      return values;
    }
    case FieldId::mode:
      return mode();
    case FieldId::labels:
      return entry("map_of(pod.metadata.?labels)", field.key, "(pod.open || pod.merged)");
    case FieldId::annotations:
      return entry("map_of(pod.metadata.?annotations)", field.key, "(pod.open || pod.merged)");
    case FieldId::accelerator_product:
    case FieldId::accelerator_memory:
      fail(field.text, "the catalogue of accelerators is too large for an expression");
      return {};
    case FieldId::accelerator_total:
      fail(field.text, "it adds up several pods");
      return {};
    default:
      fail(field.text, "the field has no translation");
      return {};
  }
}

/// A label of nodeSelector, or what every term of the required affinity demands. A term that
/// accepts any value is a value that passes and fails.
CelValues ConditionWriter::node_labels(const std::string& key) {
  CelValues values;
  values.open_if_empty = "pod.open";
  values.is_text = true;
  const std::string name = cel_string(key);
  values.exists = [this, name](const Holds& holds) {
    const std::string value = variable();
    const std::string text = holds(value);
    if (text == kFalse) return text;
    const auto demands = [&](std::string_view operators) {
      return fmt::format(
          "list(t.?matchExpressions).exists(r, text(r.?key) == {} && "
          "text(r.?operator) in [{}])",
          name, operators);
    };
    return fmt::format(
        "(child(pod.nodeSelector, {0}).exists({1}, {2}) || "
        "child(pod.nodeSelector, {0}).size() == 0 && pod.required.size() > 0 && "
        "pod.required.all(t, {3}) && pod.required.exists(t, !{4} || "
        "list(t.?matchExpressions).exists(r, text(r.?key) == {0} && text(r.?operator) == 'In' && "
        "list(r.?values).exists({1}, {2}))))",
        name, value, text, demands("'In', 'Exists', 'Gt', 'Lt'"), demands("'In'"));
  };
  return values;
}

CelValues ConditionWriter::device_count() {
  CelValues values = of_list(
      "[double((pod.containers + list(pod.spec.?initContainers).filter(c, is_sidecar(c)))"
      ".map(c, double(device_amounts(c).sum())).sum())]");
  values.is_amount = true;
  // The devices of other init containers are released; their maximum may be higher.
  values.is_lower_bound =
      "(pod.open || list(pod.spec.?initContainers).exists(c, !is_sidecar(c) && "
      "device_amounts(c).size() > 0))";
  return values;
}

CelValues ConditionWriter::device_names() {
  CelValues values;
  values.is_text = true;
  values.open_if_empty = values.open_if_set = "pod.open";
  values.exists = [this](const Holds& holds) {
    const std::string name = variable();
    const std::string text = holds(name);
    if (text == kFalse) return text;
    return fmt::format("any_request(pod.allContainers, {0}, is_accelerator({0}) && {1})", name,
                       text);
  };
  return values;
}

/// The scheduler's sum: containers and sidecars together, or the largest init container.
CelValues ConditionWriter::amount(const std::string& resource, bool limits) {
  const std::string key = cel_string(resource);
  const std::string of = fmt::format("{}(c, {})", limits ? "limit_of" : "request_of", key);
  const std::string sidecars = "list(pod.spec.?initContainers).filter(c, is_sidecar(c))";
  const std::string ordinary = "list(pod.spec.?initContainers).filter(c, !is_sidecar(c))";
  const std::string amounts =
      fmt::format("filter(c, has_amount({0})).map(c, amount({0}.orValue('')))", of);
  const bool is_used_by_all =
      resource == "cpu" || resource == "memory" || resource == "ephemeral-storage";
  const std::string is_absent =
      is_used_by_all
          ? fmt::format("(pod.containers + {}).exists(c, !has_amount({})) || ", sidecars, of)
          : std::string();
  CelValues values = of_list(fmt::format(
      "[[pod.containers + {0}, {1}].map(l, l.{2})].map(l, {3}l[0].size() + l[1].size() == 0 ? [] : "
      "[([double(l[0].sum())] + l[1].map(x, double(x))).max()])[0]",
      sidecars, ordinary, amounts, is_absent));
  values.is_amount = true;
  // KServe adds resources to containers that have none.
  values.open_if_empty = "(pod.open || pod.merged || is_set(pod.spec.?resources))";
  values.is_lower_bound = "(pod.open || pod.merged || is_set(pod.spec.?resources))";
  return values;
}

CelValues ConditionWriter::images() {
  CelValues values = of_list("pod.allContainers.filter(c, is_set(c.?image)).map(c, c.image)");
  values.is_text = true;
  values.open_if_empty = values.open_if_set = "(pod.open || pod.merged)";
  return values;
}

CelValues ConditionWriter::scheduler() {
  CelValues values = of_list(
      "(child(pod.spec, 'schedulerName').size() > 0 || pod.open ? "
      "child(pod.spec, 'schedulerName') : [dyn('default-scheduler')])");
  values.is_text = true;
  values.open_if_empty = "pod.open";
  return values;
}

CelValues ConditionWriter::mode() {
  CelValues values = of_list(
      "[deployment_mode(pod.object)].filter(m, request.kind.kind == 'InferenceService' && "
      "m in ['knative', 'standard', 'modelmesh']).map(m, {'knative': 'Knative', "
      "'standard': 'Standard', 'modelmesh': 'ModelMesh'}[m])");
  values.is_text = true;
  values.open_if_empty = "(request.kind.kind == 'InferenceService')";
  return values;
}

CelValues ConditionWriter::pod_pointer(const FieldRef& field) {
  const std::span<const std::string> path(field.path);
  if (!has_pods_) return at_path(object(), path);
  const auto is_step = [&](std::size_t at, std::string_view name) {
    return path.size() > at && path[at] == name;
  };
  CelValues values;
  if (is_step(0, "spec") && path.size() > 1) {
    values = at_path("pod.spec", path.subspan(1));
    const bool is_added = is_step(1, "containers") || is_step(1, "initContainers") ||
                          is_step(1, "volumes") || is_step(1, "*");
    values.open_if_empty = is_added ? "(pod.open || pod.merged)" : "pod.open";
  } else if (is_step(0, "metadata") && path.size() > 2 &&
             (is_step(1, "labels") || is_step(1, "annotations"))) {
    values = at_path("pod.metadata", path.subspan(1));
    values.open_if_empty = "(pod.open || pod.merged)";
  } else if (is_step(0, "metadata") && path.size() > 1) {
    values = at_path("pod.object", path);
    values.open_if_empty = "pod.open";
  } else {
    fail(field.text, "the pointer has no translation");
    return {};
  }
  values.open_items = values.open_if_empty;
  values.items_are_open = is_step(1, "containers") || is_step(1, "initContainers");
  if (values.is_several) values.open_if_set = values.open_if_empty;
  return values;
}

// What a policy is for.

std::string ConditionWriter::matches(const std::string& text, const Match::Patterns& patterns,
                                     std::string_view key) {
  std::vector<std::string> exact;
  std::vector<std::string> regexes;
  for (const NamePattern& pattern : patterns) {
    const std::string& written = pattern.text();
    if (written == "*") return std::string(kTrue);
    if (!NamePattern::is_special(written)) {
      exact.push_back(written);
      continue;
    }
    const auto regex = regex_of(written);
    if (!regex) {
      return fail(key, fmt::format("the pattern '{}' has no translation", printable(written)));
    }
    regexes.push_back(*regex);
  }
  std::string found(kFalse);
  if (!exact.empty()) found = fmt::format("{} in {}", text, cel_texts(exact));
  if (regexes.empty()) return found;
  const std::string regex = fmt::format("^(?:{})$", fmt::join(regexes, "|"));
  return either(found, fmt::format("{}.matches({})", text, cel_string(regex)));
}

std::string ConditionWriter::has_labels(
    const std::string& object, std::string_view key,
    const std::vector<std::pair<std::string, Match::Patterns>>& wanted) {
  std::string all(kTrue);
  for (const auto& [name, patterns] : wanted) {
    const std::string value = fmt::format("{}.metadata.?{}[?{}]", object, key, cel_string(name));
    std::string each = fmt::format("{}.hasValue()", value);
    if (!patterns.empty()) {
      const std::string text = fmt::format("{}.orValue('')", value);
      each = both(each,
                  matches(fmt::format("string({})", text), patterns, fmt::format("match.{}", key)));
    }
    all = both(all, each);
  }
  return all;
}

/// Without the kinds.
std::string ConditionWriter::of_object(const Match& match, const std::string& object) {
  std::string all(kTrue);
  const auto name = [&](std::string_view key, const Match::Patterns& patterns) {
    if (patterns.empty()) return;
    const std::string text = fmt::format("{}.metadata.?{}.orValue('')", object, key);
    all = both(all, matches(text, patterns, fmt::format("match.{}s", key)));
  };
  if (std::ranges::any_of(match.namespaces,
                          [](const NamePattern& each) { return each.text().empty(); })) {
    return fail("match.namespaces", "the API server knows the namespace of every object");
  }
  if (!match.clusters.empty()) return fail("match.clusters", "the API server has one cluster");
  if (match.files) return fail("match.files", "the API server knows no files");
  name("namespace", match.namespaces);
  name("name", match.names);
  all = both(all, has_labels(object, "labels", match.labels));
  return both(all, has_labels(object, "annotations", match.annotations));
}

std::string ConditionWriter::applies(const Match& match, bool wanted) {
  std::string all = of_object(match, object());
  if (!match.components.empty()) {
    all = both(all, has_pods_ ? matches("string(pod.name)", match.components, "match.components")
                              : std::string(kFalse));
  }
  if (!wanted) all = negated(all);
  if (!match.accelerators) return all;
  const std::string requests =
      has_pods_ ? "any_request(pod.allContainers, n, is_accelerator(n))" : std::string(kFalse);
  const std::string open = has_pods_ ? "pod.open" : std::string(kFalse);
  const std::string accelerators =
      *match.accelerators == wanted ? requests : both(negated(requests), negated(open));
  return wanted ? both(all, accelerators) : either(all, accelerators);
}

/// The value of a field that has one: "priorityClassName is 'x': ".
std::string ConditionWriter::subject(const Condition& condition) {
  if (condition.kind != Condition::Kind::field) return "''";
  const FieldRef& field = condition.field;
  const NamedField& named = field_of(field.id);
  const bool is_shown =
      named.kind == FieldKind::text && !named.several && field.id != FieldId::mode;
  if (!is_shown) return "''";
  const CelValues values = values_of(field, {});
  if (values.list.empty()) return "''";
  return fmt::format("({}.map(v, {} + string(v) + \"': \") + [{}])[0]", values.list,
                     cel_string(fmt::format("{} is '", in_one_line(field.text))),
                     cel_string(fmt::format("{} is not set: ", in_one_line(field.text))));
}

// Kinds.

bool names_kind(const Match::Patterns& patterns, const AdmittedKind& kind) {
  const std::string qualified = fmt::format("{}/{}", kind.group, kind.name);
  return std::ranges::any_of(patterns, [&](const NamePattern& pattern) {
    return pattern.matches(pattern.has_slash() ? std::string_view(qualified) : kind.name);
  });
}

bool is_exact(const NamePattern& pattern) { return !NamePattern::is_special(pattern.text()); }

/// Whether a pattern without special characters names the kind.
bool is_named_exactly(const Match::Patterns& patterns, const AdmittedKind& kind) {
  return std::ranges::any_of(patterns, [&](const NamePattern& pattern) {
    return is_exact(pattern) && names_kind({pattern}, kind);
  });
}

/// The kinds that the policy is for; in `unlabelled` those of --pods that it names.
std::vector<const AdmittedKind*> kinds_of(const Policy& policy, bool made,
                                          std::vector<const AdmittedKind*>& unlabelled) {
  const Match::Patterns& named = policy.match.kinds;
  const Match& exclude = policy.exclude;
  const bool excludes_kinds = exclude.components.empty() && exclude.names.empty() &&
                              exclude.namespaces.empty() && exclude.labels.empty() &&
                              exclude.annotations.empty() && !exclude.accelerators &&
                              !exclude.kinds.empty();
  std::vector<const AdmittedKind*> kinds;
  for (const AdmittedKind& kind : admitted_kinds()) {
    if (excludes_kinds && names_kind(exclude.kinds, kind)) continue;
    if (is_named_exactly(named, kind)) {
      kinds.push_back(&kind);
      if (kind.made) unlabelled.push_back(&kind);
      continue;
    }
    if (kind.only_if_named || (kind.made && !made)) continue;
    const bool is_default = named.empty() && !kind.parts.empty() && !kind.is_fragment;
    if (is_default || names_kind(named, kind)) kinds.push_back(&kind);
  }
  return kinds;
}

/// The exclusion as an expression that holds if it certainly does not apply. `object`: of the
/// object, in a matchCondition.
std::string not_excluded(const Policy& policy, ConditionWriter& writer, const std::string& object) {
  const Match& exclude = policy.exclude;
  std::string kinds(kTrue);
  if (!exclude.kinds.empty()) {
    std::vector<std::string> names;
    for (const AdmittedKind& kind : admitted_kinds()) {
      if (names_kind(exclude.kinds, kind)) names.emplace_back(kind.name);
    }
    kinds = names.empty() ? kFalse : fmt::format("request.kind.kind in {}", cel_texts(names));
  }
  if (!object.empty()) return negated(both(kinds, writer.of_object(exclude, object)));
  return either(negated(kinds), writer.applies(exclude, false));
}

/// What the conditions find, each a message or ''.
std::string findings_of(const Policy& policy, ConditionWriter& writer) {
  std::string text = in_one_line(policy.summary);
  if (!policy.help.empty()) text += "; " + in_one_line(policy.help);
  const std::string message = cel_string(text);
  std::vector<std::string> found;
  const auto add = [&](const Condition& condition, Quantifier quantifier, bool violated) {
    const std::string violates = writer.certain(condition, quantifier, violated);
    const std::string subject = writer.subject(condition);
    found.push_back(
        fmt::format("{} ? {}{} : ''", violates, subject == "''" ? "" : subject + " + ", message));
  };
  for (const Condition& each : policy.require) add(each, Quantifier::every, false);
  for (const Condition& each : policy.forbid) add(each, Quantifier::some, true);
  return fmt::format("[{}]", fmt::join(found, ",\n  "));
}

Result<PolicyCheck> translated(const Policy& policy, PolicyCheck check) {
  const bool is_of_pods = check.of == AdmissionCheck::Of::pod;
  const bool has_pods =
      is_of_pods || std::ranges::any_of(
                        check.kinds, [](const AdmittedKind* kind) { return !kind->parts.empty(); });
  ConditionWriter writer(check.of, is_of_pods && has_pods);
  Match of_object = policy.match;
  const std::string matched = writer.of_object(of_object, "object");
  if (matched != kTrue) check.conditions.push_back({"policy-match", matched});
  std::string applies(kTrue);
  if (policy.match.accelerators || !policy.match.components.empty()) {
    applies = writer.applies(
        {.components = policy.match.components, .accelerators = policy.match.accelerators}, true);
  }
  const bool excludes_pods = policy.exclude.accelerators || !policy.exclude.components.empty();
  if (excludes_pods) {
    applies = both(applies, not_excluded(policy, writer, {}));
  } else if (!policy.exclude.is_empty) {
    check.conditions.push_back({"policy-exclude", not_excluded(policy, writer, "object")});
  }
  if (is_of_pods) {
    // KServe makes no pods of a stopped service.
    check.conditions.push_back(
        {"not-stopped",
         "object.metadata.?annotations[?'serving.kserve.io/stop'].orValue('').lowerAscii() != "
         "'true'"});
  }
  if (policy.when) applies = both(applies, writer.certain(*policy.when, Quantifier::some, true));
  check.findings = findings_of(policy, writer);
  if (applies != kTrue) check.findings = fmt::format("{} ? {} : []", applies, check.findings);
  for (CelVariable& condition : check.conditions) {
    condition.expression = expand_fragments(condition.expression);
  }
  if (!writer.mistake().empty()) return Error{writer.mistake()};
  return check;
}

}  // namespace

Result<PolicyCheck> policy_check(const Policy& policy, bool made) {
  constexpr std::size_t kMaxExpression = 40'000;
  PolicyCheck check;
  for (const NamePattern& pattern : policy.match.kinds) {
    const auto names = [&](const AdmittedKind& kind) { return names_kind({pattern}, kind); };
    if (is_exact(pattern) && std::ranges::none_of(admitted_kinds(), names)) {
      return Error{fmt::format("'match.kinds': '{}' is none of the kinds that are exported",
                               printable(pattern.text()))};
    }
  }
  check.kinds = kinds_of(policy, made, check.unlabelled);
  const auto has_pods = [](const AdmittedKind* kind) { return !kind->parts.empty(); };
  const bool some_have_pods = std::ranges::any_of(check.kinds, has_pods);
  check.of = policy.is_of_objects || !some_have_pods ? AdmissionCheck::Of::object
                                                     : AdmissionCheck::Of::pod;
  if (check.of == AdmissionCheck::Of::pod) {
    // Without pods, these fields are absent, which few policies mean.
    const bool names_others = std::ranges::any_of(check.kinds, [&](const AdmittedKind* kind) {
      return !has_pods(kind) && is_named_exactly(policy.match.kinds, *kind);
    });
    if (names_others) {
      return Error{"'match.kinds': kinds with and without pods need policies of their own"};
    }
    std::erase_if(check.kinds, [&](const AdmittedKind* kind) { return !has_pods(kind); });
  }
  const auto is_seldon = [](const AdmittedKind* kind) { return kind->name == "SeldonDeployment"; };
  if (!policy.match.components.empty() || !policy.exclude.components.empty()) {
    std::erase_if(check.kinds, is_seldon);  // its components have names that are not in the object
  }
  if (check.kinds.empty()) {
    return Error{"'match.kinds': there is no such kind among those that are exported"};
  }
  Result<PolicyCheck> result = translated(policy, std::move(check));
  if (result && expand_fragments(result->findings).size() > kMaxExpression) {
    return Error{"its expression is too large"};
  }
  return result;
}

}  // namespace cnsched::rules
