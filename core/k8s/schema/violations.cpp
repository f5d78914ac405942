#include "core/k8s/schema/violations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <utility>

#include "core/base/text.h"
#include "core/k8s/schema/checks.h"
#include "core/k8s/selector.h"
#include "core/yaml/scalar.h"
#include "core/yaml/tree.h"

namespace cnsched::k8s::schema {

namespace {

using yaml::Node;
using yaml::ScalarType;

cel::Value value_of(const Node& node, const Type& type, const Field& field);

bool is_nullable_field(const Field& field) {
  return field.checks != nullptr && field.checks->nullable;
}

/// The value of a field as the API server stores it: with its default, and without null.
const Node* stored(const Node& object, const Field& field) {
  const Node& value = object[field.name];
  const bool is_set = value && (!value.is_null() || is_nullable_field(field));
  if (is_set) return &value;
  return field.checks == nullptr ? nullptr : field.checks->preset;
}

/// The name of a property that CEL spells otherwise, because it is no identifier or is reserved.
/// Source: https://kubernetes.io/docs/reference/using-api/cel/#escaping.
std::string unescaped(std::string_view name) {
  constexpr auto kEscapes = std::to_array<std::pair<std::string_view, std::string_view>>(
      {{"__underscores__", "__"}, {"__dot__", "."}, {"__dash__", "-"}, {"__slash__", "/"}});
  std::string result;
  while (!name.empty()) {
    const auto* escape = std::ranges::find_if(
        kEscapes, [&](const auto& each) { return name.starts_with(each.first); });
    if (escape != kEscapes.end()) {
      result += escape->second;
      name.remove_prefix(escape->first.size());
    } else {
      result += name.front();
      name.remove_prefix(1);
    }
  }
  // "__namespace__" is the reserved word.
  constexpr std::size_t kAround = 2;
  if (result.size() > 2 * kAround && result.starts_with("__") && result.ends_with("__")) {
    return result.substr(kAround, result.size() - 2 * kAround);
  }
  return result;
}

/// An object whose fields the type names.
class TypedObject : public cel::Map {
 public:
  TypedObject(const Node& node, const Type& type) : node_(node), type_(type) {}

  std::size_t size() const override { return keys().size(); }
  std::optional<cel::Value> find(const cel::Value& key) const override {
    if (!key.is(cel::Kind::string)) return std::nullopt;
    const Field* field = type_.find(key.text());
    if (field == nullptr && key.text().starts_with("_")) field = type_.find(unescaped(key.text()));
    if (field == nullptr && key.text().find("__") != std::string_view::npos) {
      field = type_.find(unescaped(key.text()));
    }
    if (field == nullptr) return std::nullopt;
    const Node* value = stored(node_, *field);
    if (value == nullptr) return std::nullopt;
    return value_of(*value, *field->type, *field);
  }
  std::vector<cel::Value> keys() const override {
    std::vector<cel::Value> keys;
    for (const Field& field : type_.fields()) {
      if (stored(node_, field) != nullptr) keys.push_back(cel::Text::view_of(field.name));
    }
    return keys;
  }

 private:
  const Node& node_;
  const Type& type_;
};

/// A mapping whose keys the user chooses, or of which nothing is known.
class TypedMap : public cel::Map {
 public:
  TypedMap(const Node& node, const Type& element, const Field& field)
      : entries_(yaml::entries_of(node)), element_(element), field_(field) {}

  std::size_t size() const override { return entries_.size(); }
  std::optional<cel::Value> find(const cel::Value& key) const override {
    if (!key.is(cel::Kind::string)) return std::nullopt;
    const auto found =
        std::ranges::find(entries_, key.text(), [](const yaml::Entry& e) { return e.key->text(); });
    if (found == entries_.end()) return std::nullopt;
    return value_of(*found->value, element_, field_);
  }
  std::vector<cel::Value> keys() const override {
    std::vector<cel::Value> keys;
    for (const yaml::Entry& entry : entries_) {
      keys.push_back(cel::Text::view_of(entry.key->text()));
    }
    return keys;
  }

 private:
  std::vector<yaml::Entry> entries_;
  const Type& element_;
  const Field& field_;
};

class TypedList : public cel::List {
 public:
  TypedList(const Node& node, const Type& element, const Field& field)
      : node_(node), element_(element), field_(field) {}

  std::size_t size() const override { return node_.items().size(); }
  cel::Value at(std::size_t index) const override {
    return value_of(*node_.items()[index], element_, field_);
  }

 private:
  const Node& node_;
  const Type& element_;
  const Field& field_;
};

cel::Value value_of_scalar(const Node& node, const Type& type) {
  if (node.is_null()) return cel::Null{};
  const bool is_text = type.form == Form::string || type.form == Form::time || node.is_string();
  if (is_text) return cel::Text::view_of(node.text());
  if (node.type == ScalarType::boolean) return yaml::boolean_of(node.text()).value_or(false);
  const auto literal = yaml::json_literal(node);
  const auto integer = literal ? parse_int64(*literal) : std::nullopt;
  if (integer && type.form != Form::number) return std::int64_t{*integer};
  if (integer) return static_cast<double>(*integer);
  double number = 0;
  if (literal) std::from_chars(literal->data(), literal->data() + literal->size(), number);
  return number;
}

cel::Value value_of(const Node& node, const Type& type, const Field& field) {
  if (node.is_scalar()) return value_of_scalar(node, type);
  static const Type kUnknown{.form = Form::any};
  const Field& element_field = type.element_field != nullptr ? *type.element_field : field;
  const Type& element = type.element != nullptr ? *type.element : kUnknown;
  if (node.is_sequence()) {
    return std::shared_ptr<const cel::List>(
        std::make_shared<TypedList>(node, element, element_field));
  }
  const bool has_fields = type.form == Form::object && !type.open;
  if (has_fields || (type.form == Form::object && !type.fields().empty())) {
    return std::shared_ptr<const cel::Map>(std::make_shared<TypedObject>(node, type));
  }
  return std::shared_ptr<const cel::Map>(std::make_shared<TypedMap>(node, element, element_field));
}

/// Evaluates the rules of a value and of all within it.
class Rules {
 public:
  Rules(const DefinedTypes& types, std::uint64_t steps, std::vector<Deviation>& found)
      : types_(types), found_(found), budget_{steps} {}

  void check(const Node& node, const Type& type, const Field& field, const Type* holder) {
    if (field.checks != nullptr) {
      for (const ValidationRule& rule : field.checks->rules) {
        check_rule(rule, node, type, field, holder);
      }
    }
    if (node.is_sequence() && type.element != nullptr) {
      const Field& element = type.element_field != nullptr ? *type.element_field : field;
      for (const Node* item : node.items()) check(*item, *type.element, element, holder);
    } else if (node.is_mapping() && type.form == Form::map) {
      if (type.element_field == nullptr) return;
      for (const yaml::Entry& entry : yaml::entries_of(node)) {
        check(*entry.value, *type.element, *type.element_field, holder);
      }
    } else if (node.is_mapping()) {
      for (const Field& each : type.fields()) {
        // A default is valid, or the API server rejects the definition.
        const Node& value = node[each.name];
        if (value && !value.is_null()) check(value, *each.type, each, &type);
      }
    }
  }

 private:
  void check_rule(const ValidationRule& rule, const Node& node, const Type& type,
                  const Field& field, const Type* holder) {
    const std::array variables = {cel::Variable{"self", value_of(node, type, field)}};
    const cel::Value result = rule.program.evaluate(variables, budget_);
    if (result.is_unknown()) {
      types_.note_unevaluated(
          fmt::format("the rule '{}' ({})", printable(rule.text), printable(result.message())));
      return;
    }
    if (result.is_true()) return;
    Deviation deviation{.kind = Deviation::Kind::rule_violated,
                        .node = &place_of(rule, node),
                        .type = &type,
                        .field = &field,
                        .holder = holder};
    deviation.message = message_of(rule, result, variables);
    found_.push_back(std::move(deviation));
  }

  /// The field that the rule is about, if it names one and that is set.
  static const Node& place_of(const ValidationRule& rule, const Node& self) {
    const Node* at = &self;
    for (const std::string_view step : split(rule.path, '.')) {
      if (step.empty()) continue;
      const Node& next = (*at)[step];
      if (!next) return self;
      at = &next;
    }
    return *at;
  }

  std::string message_of(const ValidationRule& rule, const cel::Value& result,
                         std::span<const cel::Variable> variables) {
    if (result.is_error()) return fmt::format("rule evaluation error: {}", result.message());
    if (rule.make_message) {
      const cel::Value made = rule.make_message->evaluate(variables, budget_);
      if (made.is(cel::Kind::string) && !made.text().empty()) return std::string(made.text());
    }
    if (!rule.message.empty()) return std::string(rule.message);
    return fmt::format("failed rule: {}", rule.text);
  }

  const DefinedTypes& types_;
  std::vector<Deviation>& found_;
  cel::Budget budget_;  ///< of all rules of one object
};

}  // namespace

void add_violations(const Node& root, const DefinedTypes& types, std::uint64_t steps,
                    std::vector<Deviation>& found) {
  Rules(types, steps, found).check(root, *types.root().type, types.root(), nullptr);
}

}  // namespace cnsched::k8s::schema
