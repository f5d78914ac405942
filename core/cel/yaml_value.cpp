#include "core/cel/yaml_value.h"

#include <algorithm>

#include "core/base/portability.h"
#include "core/yaml/scalar.h"

namespace cnsched::cel {

namespace {

class YamlList : public List {
 public:
  explicit YamlList(const yaml::Node& node) : node_(node) {}
  std::size_t size() const override { return node_.items().size(); }
  Value at(std::size_t index) const override { return value_of(*node_.items()[index]); }

 private:
  const yaml::Node& node_;
};

class YamlMap : public Map {
 public:
  explicit YamlMap(const yaml::Node& node) : node_(node) {}

  std::size_t size() const override {
    return static_cast<std::size_t>(
        std::ranges::count(node_.entries(), false, &yaml::Entry::overridden));
  }
  std::optional<Value> find(const Value& key) const override {
    if (!key.is(Kind::string)) return std::nullopt;
    const auto entries = node_.entries();
    const auto found = std::ranges::find_if(entries, [&](const yaml::Entry& entry) {
      if (entry.overridden) return false;
      const bool is_text = entry.key->type == yaml::ScalarType::string;
      return is_text ? entry.key->text() == key.text() : yaml::key_text(*entry.key) == key.text();
    });
    return found == entries.end() ? std::nullopt : std::optional(value_of(*found->value));
  }
  std::vector<Value> keys() const override {
    std::vector<Value> keys;
    for (const yaml::Entry& entry : node_.entries()) {
      if (!entry.overridden) keys.push_back(Value::string(yaml::key_text(*entry.key)));
    }
    return keys;
  }

 private:
  const yaml::Node& node_;
};

Value scalar_value(const yaml::Node& node) {
  const auto literal = yaml::json_literal(node);
  if (!literal) return Text::view_of(node.text());
  if (node.type == yaml::ScalarType::boolean) return *literal == "true";
  if (node.type == yaml::ScalarType::integer) {
    if (const auto integer = yaml::integer_of(node)) return *integer;
  }
  const auto number = parse_double(*literal);
  return number ? Value(*number) : Value::unknown("the number " + *literal);
}

}  // namespace

Value value_of(const yaml::Node& node) {
  switch (node.kind) {
    case yaml::Node::Kind::scalar:
      return scalar_value(node);
    case yaml::Node::Kind::sequence:
      return std::shared_ptr<const List>(std::make_shared<YamlList>(node));
    case yaml::Node::Kind::mapping:
      return std::shared_ptr<const Map>(std::make_shared<YamlMap>(node));
    default:
      return {};
  }
}

}  // namespace cnsched::cel
