// A condition is decided first, and only explained if it is violated. Both walk the condition's
// tree; unknown values make a third truth (Kleene's logic).
#include "rules/policy/policy_evaluation.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/accelerators/product.h"
#include "core/base/text.h"
#include "core/kserve/deployment_mode.h"
#include "core/yaml/scalar.h"
#include "rules/findings.h"

namespace cnsched::rules {

namespace {

using yaml::Node;

constexpr std::size_t kMaxReasons = 20;

/// Of all items, or of any if one is enough. `is_open`: there may be others.
template <typename Items, typename Of>
Truth truth_of_each(bool needs_all, bool is_open, const Items& items, Of of) {
  const Truth others = is_open ? Truth::unknown : truth_of(needs_all);
  return needs_all ? truth_of_all(items, of) & others : truth_of_any(items, of) | others;
}

std::string string_of(const FieldValue& value) {
  std::string storage;
  return std::string(text_of(value, storage));
}

std::optional<Quantity> number_of(const FieldValue& value) {
  if (value.number) return value.number;
  std::string storage;
  const auto quantity = Quantity::parse(text_of(value, storage));
  if (!quantity) return std::nullopt;
  return *quantity;
}

bool is_same_product(const accelerators::Accelerator* one, const accelerators::Accelerator* other) {
  if (one == nullptr || other == nullptr) return false;
  const bool is_same_card = one->card && one->card == other->card && !one->has_open_size();
  return one == other || (is_same_card && one->mig_profile == other->mig_profile);
}

/// Whether the value is one of the words of the test.
bool is_listed(const FieldValue& value, const Test& test) {
  if (!value.number && value.text.empty() && !value.node->is_scalar()) return false;
  if (!test.numbers.empty()) {
    const auto number = number_of(value);
    if (number) return is_one_of(number, test.numbers);
  }
  std::string storage;
  const std::string_view text = text_of(value, storage);
  if (is_one_of(text, test.words)) return true;
  return std::ranges::any_of(test.products, [&](const accelerators::Accelerator* product) {
    return is_same_product(value.product, product);
  });
}

/// "'a', 'b' or 'c'", shortened.
std::string words_of(const std::vector<std::string>& words) {
  constexpr std::size_t kMaxShown = 6;
  std::vector<std::string> quoted;
  for (const std::string& word : words) {
    if (quoted.size() == kMaxShown) break;
    quoted.push_back(fmt::format("'{}'", word));
  }
  if (words.size() > kMaxShown) {
    quoted.push_back(fmt::format("{} others", words.size() - kMaxShown));
  }
  return join_words(quoted, "or");
}

/// What a sum consists of: "128Gi of 'kserve-container' and 1Gi of 'agent'".
std::string parts_of(const std::vector<FieldValues::Summand>& summands) {
  std::vector<std::string> parts;
  for (const FieldValues::Summand& each : summands) {
    parts.push_back(fmt::format("{} of '{}'", string_of({.node = each.amount}),
                                (*each.container)["name"].text()));
  }
  return join_words(parts);
}

/// The value in a message.
std::string shown_value(const FieldValue& value, const FieldValues& values) {
  if (value.number) {
    const std::string number = value.number->canonical();
    return values.summands.size() < 2 ? number
                                      : fmt::format("{} ({})", number, parts_of(values.summands));
  }
  if (value.text.empty() && !value.node->is_scalar()) {
    return std::string(yaml::describe(*value.node));
  }
  if (value.text.empty() && !value.node->is_string()) return string_of(value);
  return fmt::format("'{}'", string_of(value));
}

/// " ('server' and 'agent')": the names of a few items which all have one; else nothing.
std::string names_of(const FieldValues& items) {
  constexpr std::size_t kMaxShown = 5;
  std::vector<std::string> names;
  for (const FieldValue& item : items.values) {
    const Node& name = (*item.node)["name"];
    if (name.is_scalar() && names.size() < kMaxShown) {
      names.push_back(fmt::format("'{}'", name.text()));
    }
  }
  if (names.empty() || names.size() < items.values.size()) return {};
  return fmt::format(" ({})", join_words(names));
}

/// The first pattern that matches.
std::string matching_pattern(const FieldValue& value, const Test& test) {
  const std::string text = string_of(value);
  const auto found = std::ranges::find_if(
      test.patterns, [&](const Pattern& pattern) { return pattern.matches(text); });
  return found == test.patterns.end()
             ? std::string()
             : test.written[static_cast<std::size_t>(found - test.patterns.begin())];
}

/// Whether the field has the value of an environment variable, which may be a secret.
bool is_secret(std::string_view field) {
  const bool is_of_variable =
      field.find("env[") != std::string_view::npos || field.find("/env/") != std::string_view::npos;
  return is_of_variable && field.ends_with("value");
}

/// "is 'a', not 'b' or 'c'": the value with what is true of it. `shown`: the value in words.
std::string described(const FieldValue& value, const std::string& shown, const Test& test,
                      Operator op) {
  const std::string is = "is " + shown;
  switch (op) {
    case Operator::not_in:
      return fmt::format("{}, not {}", is, words_of(test.words));
    case Operator::matches:
      return fmt::format("{}, which matches '{}'", is, matching_pattern(value, test));
    case Operator::not_matches:
      return fmt::format("{}, which does not match {}", is, words_of(test.written));
    case Operator::at_least:
      return fmt::format("{}, at least {}", is, test.bound_text);
    case Operator::less_than:
      return fmt::format("{}, less than {}", is, test.bound_text);
    case Operator::at_most:
      return fmt::format("{}, at most {}", is, test.bound_text);
    case Operator::more_than:
      return fmt::format("{}, more than {}", is, test.bound_text);
    default:
      return is;
  }
}

/// One reason of all: they are only together sufficient.
std::vector<Reason> together(const std::vector<Reason>& reasons) {
  constexpr std::size_t kMaxJoined = 3;
  if (reasons.empty()) return {};
  Reason whole = reasons.front();
  std::vector<std::string> texts = {whole.first.text};
  for (std::size_t i = 1; i < reasons.size() && i < kMaxReasons; ++i) {
    const Reason::Place& other = reasons[i].first;
    // The same value, of which another test says more.
    if (other.node == whole.first.node && other.text.starts_with(texts.front())) {
      texts.front() = other.text;
      continue;
    }
    if (texts.size() < kMaxJoined) texts.push_back(other.text);
    whole.others.push_back(other);
  }
  whole.first.text = texts.front();
  for (std::size_t i = 1; i < texts.size(); ++i) whole.first.text += ", and " + texts[i];
  return {std::move(whole)};
}

void append(std::vector<Reason>& all, std::vector<Reason> more) {
  for (Reason& reason : more) {
    if (all.size() < kMaxReasons) all.push_back(std::move(reason));
  }
}

/// How messages call a field: of an item, "tolerations[1].key".
std::string name_in(const std::string& item, const FieldRef& field) {
  if (field.id == FieldId::item) return item;
  if (item.empty()) return field.text;
  return field.text.starts_with('/') ? item + field.text : fmt::format("{}.{}", item, field.text);
}

/// What is not set, at the place that lacks it.
std::vector<Reason> absence(const FieldValues& values, const Node* item, const std::string& name) {
  const Node* near = values.near != nullptr ? values.near : item;
  if (near == item && item != nullptr && (*item)["name"]) near = &(*item)["name"];
  return {{{near, fmt::format("{} is not set", name)}}};
}

bool matches_any(const MatchCriteria::Patterns& patterns, std::string_view text) {
  return patterns.empty() || std::ranges::any_of(patterns, [&](const NamePattern& pattern) {
           return pattern.matches(text);
         });
}

/// By the kind, or by "group/kind".
bool is_of_kinds(const MatchCriteria::Patterns& patterns, const PolicySubject& subject) {
  return patterns.empty() || std::ranges::any_of(patterns, [&](const NamePattern& pattern) {
           return pattern.matches(pattern.has_slash() ? std::string_view(subject.qualified_kind())
                                                      : subject.object().kind);
         });
}

using WantedLabels = std::vector<std::pair<std::string, MatchCriteria::Patterns>>;

bool has_labels(const Node& labels, const WantedLabels& wanted) {
  return std::ranges::all_of(wanted, [&](const auto& label) {
    const Node& value = labels.under(label.first);
    return value && !value.is_null() && matches_any(label.second, value.text());
  });
}

}  // namespace

Truth Evaluation::applies(const MatchCriteria& match) const {
  if (match.is_empty()) return Truth::yes;
  const k8s::Object& object = subject_.object();
  const Workload* pod = subject_.pod();
  // Labels are looked up only if they count.
  const bool is_matched =
      is_of_kinds(match.kinds, subject_) && matches_any(match.names, object.name) &&
      matches_any(match.namespaces, object.ns.name) &&
      (match.components.empty() ||
       (pod != nullptr && matches_any(match.components, pod->component))) &&
      matches_any(match.clusters, subject_.scope().name()) &&
      (match.labels.empty() || has_labels(object.labels(), match.labels)) &&
      (match.annotations.empty() || has_labels(object.annotations(), match.annotations)) &&
      (!match.files || match.files->match(subject_.real_path()));
  if (!is_matched || !match.accelerators) return truth_of(is_matched);
  const bool requests = subject_.requests_accelerators();
  if (!requests && subject_.is_open()) return Truth::unknown;
  return truth_of(*match.accelerators == requests);
}

const FieldValues& Evaluation::values_of(const FieldRef& field, const Node* item,
                                         FieldValues& storage) const {
  if (field.id == FieldId::item) {
    storage = {};
    if (item != nullptr) storage.values.push_back({.node = item});
    return storage;
  }
  if (field.id == FieldId::item_path) {
    storage = item == nullptr ? FieldValues() : subject_.item_values(*item, field.path);
    return storage;
  }
  return subject_.values(field, storage);
}

Truth Evaluation::truth(const Condition& condition, Quantifier quantifier, const Node* item) const {
  if (condition.kind == Condition::Kind::all && condition.parts.size() == 1) {
    return truth(condition.parts.front(), quantifier, item);
  }
  switch (condition.kind) {
    case Condition::Kind::all:
    case Condition::Kind::any:
      return truth_of_parts(condition, quantifier, item);
    case Condition::Kind::negation:
      return !truth(condition.parts.front(), !quantifier, item);
    case Condition::Kind::field:
      break;
  }
  return truth_of_field(condition, quantifier, item);
}

Truth Evaluation::truth_of_parts(const Condition& condition, Quantifier quantifier,
                                 const Node* item) const {
  return truth_of_each(condition.kind == Condition::Kind::all, false, condition.parts,
                       [&](const Condition& part) { return truth(part, quantifier, item); });
}

Truth Evaluation::truth_of_field(const Condition& condition, Quantifier quantifier,
                                 const Node* item) const {
  if (!subject_.spend(1)) return Truth::unknown;
  if (const FieldValues* known = subject_.known(condition.field)) {
    return truth_of_tests(condition, *known, quantifier);
  }
  FieldValues storage;
  return truth_of_tests(condition, values_of(condition.field, item, storage), quantifier);
}

Truth Evaluation::truth_of_tests(const Condition& condition, const FieldValues& values,
                                 Quantifier quantifier) const {
  return truth_of_values(condition, values, quantifier) &
         truth_of_all(condition.other_tests, [&](const Test& test) {
           return truth_of_test(condition.field, values, test);
         });
}

Truth Evaluation::truth_of_values(const Condition& condition, const FieldValues& values,
                                  Quantifier quantifier) const {
  if (condition.value_tests.empty()) return Truth::yes;
  if (values.values.empty()) {
    if (values.is_open) return Truth::unknown;
    return truth_of(std::ranges::all_of(condition.value_tests, passes_absent, &Test::op));
  }
  if (!subject_.spend(values.values.size())) return Truth::unknown;
  const bool needs_every = quantifier == Quantifier::every;
  return truth_of_each(needs_every, values.is_open, values.values, [&](const FieldValue& value) {
    // Any value: one of them fails the test, and one passes it.
    return value.is_any ? truth_of(!needs_every)
                        : truth_of_value(condition, value, values.is_lower_bound);
  });
}

Truth Evaluation::truth_of_value(const Condition& condition, const FieldValue& value,
                                 bool is_lower_bound) const {
  return truth_of_all(condition.value_tests, [&](const Test& test) {
    return truth_of_value(value, is_lower_bound, test);
  });
}

namespace {

/// The items that the operators of lists mean: of a JSON Pointer to a list or mapping, its items.
const FieldValues& items_of(const FieldRef& field, const FieldValues& values,
                            FieldValues& storage) {
  const bool may_be_list = field.id == FieldId::pod_pointer ||
                           field.id == FieldId::object_pointer || field.id == FieldId::item_path;
  if (!may_be_list || values.values.size() != 1) return values;
  const Node& list = *values.values.front().node;
  if (!list.is_sequence() && !list.is_mapping()) return values;
  storage = {.is_open = values.is_open, .near = &list};
  for (const Node* each : list.items()) storage.values.push_back({.node = each});
  for (const yaml::Entry& entry : list.entries()) {
    if (!entry.overridden) storage.values.push_back({.node = entry.value});
  }
  return storage;
}

}  // namespace

Truth Evaluation::truth_of_test(const FieldRef& field, const FieldValues& values,
                                const Test& test) const {
  FieldValues storage;
  if (is_of_items(test.op)) {
    const FieldValues& listed = items_of(field, values, storage);
    const Truth found = truth_of_items(listed, test, test.op == Operator::all);
    return test.op == Operator::none ? !found : found;
  }
  if (test.op == Operator::count) {
    const FieldValues& items = items_of(field, values, storage);
    const FieldValue number{.node = &yaml::missing_node(),
                            .number = *Quantity::parse(std::to_string(items.values.size()))};
    return truth_of_all(test.counted, [&](const Test& each) {
      return truth_of_value(number, items.is_open, each);
    });
  }
  const Truth exists =
      truth_of(!values.values.empty()) | (values.is_open ? Truth::unknown : Truth::no);
  return test.op == Operator::exists ? exists : !exists;
}

Truth Evaluation::truth_of_items(const FieldValues& values, const Test& test,
                                 bool wants_all) const {
  const Quantifier quantifier = wants_all ? Quantifier::every : Quantifier::some;
  return truth_of_each(wants_all, values.is_open, values.values, [&](const FieldValue& value) {
    if (!subject_.spend(1)) return Truth::unknown;
    return value.is_any ? truth_of(!wants_all) : truth(test.item.front(), quantifier, value.node);
  });
}

Truth Evaluation::truth_of_value(const FieldValue& value, bool is_lower_bound,
                                 const Test& test) const {
  constexpr std::size_t kBytesPerStep = 1000;
  const Operator op = is_complement(test.op) ? complement(test.op) : test.op;
  const bool is_negated = op != test.op;
  Truth found = Truth::no;
  if (op == Operator::in) {
    if (!subject_.spend(test.words.size())) return Truth::unknown;
    found = truth_of(is_listed(value, test));
    if (is_lower_bound) found = Truth::unknown;
  } else if (op == Operator::matches) {
    std::string storage;
    const std::string_view text = text_of(value, storage);
    for (const Pattern& pattern : test.patterns) {
      if (!subject_.spend(1 + text.size() * pattern.size() / kBytesPerStep)) return Truth::unknown;
      if (pattern.matches(text)) found = Truth::yes;
    }
  } else if (is_range(op)) {
    const auto number = number_of(value);
    if (!number) return Truth::unknown;
    if (op == Operator::at_least) {
      found = truth_of(*number >= test.bound);
      if (is_lower_bound) found |= Truth::unknown;
    } else {
      found = truth_of(*number <= test.bound);
      if (is_lower_bound) found &= Truth::unknown;
    }
  }
  return is_negated ? !found : found;
}

std::vector<Reason> Evaluation::reasons(const Condition& condition, Quantifier quantifier,
                                        Truth truth, const Item& item) const {
  if (condition.kind == Condition::Kind::negation) {
    return reasons(condition.parts.front(), !quantifier, !truth, item);
  }
  if (condition.kind == Condition::Kind::field) {
    return reasons_of_field(condition, quantifier, truth, item);
  }
  // One false part makes `all` false, and one true part makes `any` true.
  const bool one_is_enough = (condition.kind == Condition::Kind::all) == (truth == Truth::no);
  std::vector<Reason> all;
  for (const Condition& part : condition.parts) {
    if (this->truth(part, quantifier, item.node) != truth) continue;
    std::vector<Reason> found = reasons(part, quantifier, truth, item);
    // Each reason of the first part is one of the whole.
    if (!one_is_enough && found.size() > 1 && !all.empty()) found.resize(1);
    append(all, std::move(found));
  }
  return one_is_enough ? all : together(all);
}

std::vector<Reason> Evaluation::reasons_of_field(const Condition& condition, Quantifier quantifier,
                                                 Truth truth, const Item& item) const {
  const FieldRef& field = condition.field;
  FieldValues storage;
  const FieldValues& values = values_of(field, item.node, storage);
  const std::string name = name_in(item.name, field);
  std::vector<Reason> all;
  if (!condition.value_tests.empty() && truth_of_values(condition, values, quantifier) == truth) {
    append(all, reasons_of_values(condition, values, quantifier, truth, {item.node, name}));
  }
  for (const Test& test : condition.other_tests) {
    // If all tests hold, one shows what is there.
    if (truth == Truth::yes && !all.empty()) break;
    if (truth_of_test(field, values, test) != truth) continue;
    append(all, reasons_of_test(field, values, test, truth, {item.node, name}));
  }
  return all;
}

std::vector<Reason> Evaluation::reasons_of_values(const Condition& condition,
                                                  const FieldValues& values, Quantifier quantifier,
                                                  Truth truth, const Item& item) const {
  if (values.values.empty()) return absence(values, item.node, item.name);
  std::vector<Reason> all;
  for (const FieldValue& value : values.values) {
    if (value.is_any) {
      append(all, {{{value.node, fmt::format("{} may have any value", item.name)}}});
      continue;
    }
    if (truth_of_value(condition, value, values.is_lower_bound) != truth) continue;
    // The first test with this truth.
    const auto test = std::ranges::find_if(condition.value_tests, [&](const Test& each) {
      return truth_of_value(value, values.is_lower_bound, each) == truth;
    });
    const Operator op = truth == Truth::yes ? test->op : complement(test->op);
    const std::string shown = is_secret(item.name) ? "set" : shown_value(value, values);
    append(all,
           {{{value.node, fmt::format("{} {}", item.name, described(value, shown, *test, op))}}});
  }
  const bool one_is_enough = (quantifier == Quantifier::every) == (truth == Truth::no);
  return one_is_enough || values.values.size() == 1 ? all : together(all);
}

std::vector<Reason> Evaluation::reasons_of_test(const FieldRef& field, const FieldValues& values,
                                                const Test& test, Truth truth,
                                                const Item& item) const {
  FieldValues storage;
  if (is_of_items(test.op)) {
    return reasons_of_items(field, items_of(field, values, storage), test, truth, item);
  }
  if (test.op == Operator::count) {
    const FieldValues& items = items_of(field, values, storage);
    return {{{items.near, fmt::format("{} has {}{}", item.name,
                                      count_of(items.values.size(), "item"), names_of(items))}}};
  }
  if (values.values.empty()) return absence(values, item.node, item.name);
  std::vector<Reason> all;
  for (const FieldValue& value : values.values) {
    const bool is_shown = (value.number || !value.text.empty() || value.node->is_scalar()) &&
                          !value.is_any && !is_secret(item.name);
    append(all, {{{value.node, fmt::format("{} is {}", item.name,
                                           is_shown ? shown_value(value, values) : "set")}}});
  }
  return all;
}

std::vector<Reason> Evaluation::reasons_of_items(const FieldRef& field, const FieldValues& values,
                                                 const Test& test, Truth truth,
                                                 const Item& item) const {
  const bool wants_all = test.op == Operator::all;
  const Truth of_item = test.op == Operator::none ? !truth : truth;
  const Quantifier quantifier = wants_all ? Quantifier::every : Quantifier::some;
  const bool one_is_enough = wants_all == (of_item == Truth::no);
  std::vector<Reason> all;
  for (std::size_t i = 0; i < values.values.size() && all.size() < kMaxReasons; ++i) {
    const Node* node = values.values[i].node;
    if (values.values[i].is_any) {
      append(all, {{{node, fmt::format("{} may have any value", item.name)}}});
      continue;
    }
    if (this->truth(test.item.front(), quantifier, node) != of_item) continue;
    const bool has_names = field.id == FieldId::image || field.id == FieldId::accelerator_resource;
    append(all, reasons(test.item.front(), quantifier, of_item,
                        {node, has_names ? item.name : fmt::format("{}[{}]", item.name, i)}));
  }
  if (one_is_enough) return all;
  if (values.values.empty()) {
    const bool is_written = values.near != nullptr && *values.near;
    return {{{values.near, fmt::format("{} is {}", item.name, is_written ? "empty" : "not set")}}};
  }
  if (all.size() == 1) return all;
  Reason none{{values.near, wants_all ? fmt::format("every item of {} is as described", item.name)
                                      : fmt::format("no item of {} is as required", item.name)}};
  for (const Reason& reason : all) none.others.push_back(reason.first);
  return {std::move(none)};
}

}  // namespace cnsched::rules
