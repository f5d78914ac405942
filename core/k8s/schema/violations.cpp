#include "core/k8s/schema/deviations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <unordered_map>
#include <utility>

#include "core/base/text.h"
#include "core/cel/value.h"
#include "core/k8s/schema/schema.h"
#include "core/yaml/tree.h"

namespace cnsched::k8s::schema {

namespace {

using yaml::Node;

/// Wraps what is stored as values of CEL. Each mapping and list is wrapped once.
class Values {
 public:
  cel::Value of(const Node& node, const Type& type, const Field& field) const;

 private:
  cel::Value wrapped(const Node& node, const Type& type, const Field& field) const;

  mutable std::unordered_map<const Node*, cel::Value> known_;
};

/// The value that CEL sees: a field that is null counts as absent.
const Node* visible_value(const Node& object, const Field& field) {
  const Node* value = stored_value(object, field);
  return value == nullptr || value->is_null() ? nullptr : value;
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
  TypedObject(const Values& values, const Node& node, const Type& type)
      : values_(values), node_(node), type_(type) {}

  std::size_t size() const override { return keys().size(); }
  std::optional<cel::Value> find(const cel::Value& key) const override {
    if (!key.is(cel::Kind::string)) return std::nullopt;
    const Field* field = type_.find(key.text());
    if (field == nullptr && key.text().find("__") != std::string_view::npos) {
      field = type_.find(unescaped(key.text()));
    }
    if (field == nullptr) return std::nullopt;
    const Node* value = visible_value(node_, *field);
    if (value == nullptr) return std::nullopt;
    return values_.of(*value, *field->type, *field);
  }
  std::vector<cel::Value> keys() const override {
    std::vector<cel::Value> keys;
    for (const Field& field : type_.fields()) {
      if (visible_value(node_, field) != nullptr) keys.push_back(cel::Text::view_of(field.name));
    }
    return keys;
  }

 private:
  const Values& values_;
  const Node& node_;
  const Type& type_;
};

/// A mapping whose keys the user chooses, or of which nothing is known.
class TypedMap : public cel::Map {
 public:
  TypedMap(const Values& values, const Node& node, const Type& element, const Field& field)
      : values_(values), element_(element), field_(field) {
    const bool keeps_null = is_nullable(field);
    for (const yaml::Entry& entry : yaml::entries_of(node)) {
      if (entry.value->is_null() && !keeps_null) continue;
      keys_.push_back(entry.key->text());
      by_key_.emplace(entry.key->text(), entry.value);
    }
  }

  std::size_t size() const override { return keys_.size(); }
  std::optional<cel::Value> find(const cel::Value& key) const override {
    if (!key.is(cel::Kind::string)) return std::nullopt;
    const auto found = by_key_.find(key.text());
    if (found == by_key_.end()) return std::nullopt;
    return values_.of(*found->second, element_, field_);
  }
  std::vector<cel::Value> keys() const override {
    std::vector<cel::Value> keys;
    for (const std::string_view key : keys_) keys.push_back(cel::Text::view_of(key));
    return keys;
  }

 private:
  const Values& values_;
  const Type& element_;
  const Field& field_;
  std::vector<std::string_view> keys_;
  std::unordered_map<std::string_view, const Node*> by_key_;
};

class TypedList : public cel::List {
 public:
  TypedList(const Values& values, const Node& node, const Type& element, const Field& field)
      : values_(values), node_(node), element_(element), field_(field) {}

  std::size_t size() const override { return node_.items().size(); }
  cel::Value at(std::size_t index) const override {
    return values_.of(*node_.items()[index], element_, field_);
  }

 private:
  const Values& values_;
  const Node& node_;
  const Type& element_;
  const Field& field_;
};

cel::Value value_of_scalar(const Node& node, const Type& type, const Field& field) {
  if (type.form == Form::time) return cel::Value::unknown("a text of format 'date-time'");
  if (field.checks != nullptr && !field.checks->cel_format.empty()) {
    return cel::Value::unknown(fmt::format("a text of format '{}'", field.checks->cel_format));
  }
  if (type.form == Form::string || node.is_string()) return cel::Text::view_of(node.text());
  if (const auto whole = whole_number(node)) {
    if (type.form == Form::number) return static_cast<double>(*whole);
    return *whole;
  }
  return cel::value_of(node);
}

cel::Value Values::of(const Node& node, const Type& type, const Field& field) const {
  if (node.is_null()) return cel::Null{};
  if (node.is_scalar()) return value_of_scalar(node, type, field);
  const auto known = known_.find(&node);
  if (known != known_.end()) return known->second;
  return known_.emplace(&node, wrapped(node, type, field)).first->second;
}

cel::Value Values::wrapped(const Node& node, const Type& type, const Field& field) const {
  static const Type kUnknown{.form = Form::any};
  const Field& element_field = elements_of(type, field);
  const Type& element = type.element != nullptr ? *type.element : kUnknown;
  if (node.is_sequence()) {
    return std::shared_ptr<const cel::List>(
        std::make_shared<TypedList>(*this, node, element, element_field));
  }
  const bool has_fields = type.form == Form::object && (!type.open || !type.fields().empty());
  if (has_fields) {
    return std::shared_ptr<const cel::Map>(std::make_shared<TypedObject>(*this, node, type));
  }
  return std::shared_ptr<const cel::Map>(
      std::make_shared<TypedMap>(*this, node, element, element_field));
}

/// Evaluates the rules of a value and of all within it.
class Rules {
 public:
  Rules(const DefinedTypes& types, std::uint64_t steps, std::vector<Deviation>& found)
      : types_(types), found_(found), budget_{steps} {}

  void check(const Node& node, const Type& type, const Field& field, const Type* holder) {
    if (node.is_null()) return;
    if (field.checks != nullptr) {
      for (const ValidationRule& rule : field.checks->rules) {
        check_rule(rule, node, type, field, holder);
      }
    }
    if (node.is_sequence() && type.element != nullptr) {
      const Field& element = elements_of(type, field);
      for (const Node* item : node.items()) check(*item, *type.element, element, holder);
    } else if (node.is_mapping() && type.form == Form::map) {
      if (type.element_field == nullptr) return;
      for (const yaml::Entry& entry : yaml::entries_of(node)) {
        check(*entry.value, *type.element, *type.element_field, holder);
      }
    } else if (node.is_mapping()) {
      // A default is valid, or the API server rejects the definition.
      for (const yaml::Entry& entry : yaml::entries_of(node)) {
        const Field* each = entry.key->is_scalar() ? type.find(entry.key->text()) : nullptr;
        const bool is_dropped = types_.drops_status() && &type == types_.root().type &&
                                each != nullptr && each->name == "status";
        if (each != nullptr && !is_dropped) check(*entry.value, *each->type, *each, &type);
      }
    }
  }

 private:
  void check_rule(const ValidationRule& rule, const Node& node, const Type& type,
                  const Field& field, const Type* holder) {
    const std::array variables = {cel::Variable{"self", values_.of(node, type, field)}};
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
      const Node& next = at->under(step);
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
  Values values_;
  cel::Budget budget_;  ///< of all rules of one object
};

}  // namespace

void add_violations(const Node& root, const DefinedTypes& types, std::uint64_t steps,
                    std::vector<Deviation>& found) {
  Rules(types, steps, found).check(root, *types.root().type, types.root(), nullptr);
}

}  // namespace cnsched::k8s::schema
