#include "core/cel/value.h"

#include <algorithm>
#include <cmath>

#include "core/base/portability.h"
#include "core/yaml/scalar.h"

namespace cnsched::cel {

namespace {

class BuiltList : public List {
 public:
  explicit BuiltList(std::vector<Value> items) : items_(std::move(items)) {}
  std::size_t size() const override { return items_.size(); }
  Value at(std::size_t index) const override { return items_[index]; }

 private:
  std::vector<Value> items_;
};

constexpr double kTwo63 = 9223372036854775808.0;
constexpr double kTwo64 = 2 * kTwo63;

std::partial_ordering reversed(std::partial_ordering order) {
  if (order == std::partial_ordering::less) return std::partial_ordering::greater;
  if (order == std::partial_ordering::greater) return std::partial_ordering::less;
  return order;
}

/// An integer and a double compare as doubles, which may round: cel-go does so too.
std::partial_ordering compare_numbers(const Value& a, const Value& b) {
  if (a.kind() > b.kind()) return reversed(compare_numbers(b, a));
  if (a.is(Kind::floating)) return a.get<double>() <=> b.get<double>();
  if (a.is(Kind::unsigned_integer)) {
    const auto left = a.get<std::uint64_t>();
    if (b.is(Kind::floating)) return static_cast<double>(left) <=> b.get<double>();
    return left <=> b.get<std::uint64_t>();
  }
  const auto left = a.get<std::int64_t>();
  if (b.is(Kind::floating)) return static_cast<double>(left) <=> b.get<double>();
  if (b.is(Kind::integer)) return left <=> b.get<std::int64_t>();
  if (left < 0) return std::partial_ordering::less;
  return static_cast<std::uint64_t>(left) <=> b.get<std::uint64_t>();
}

/// Booleans, numbers, strings.
int rank_of(const Value& key) {
  if (key.is(Kind::boolean)) return 0;
  return key.is_number() ? 1 : 2;
}

}  // namespace

Value Value::list(std::vector<Value> items) {
  return std::shared_ptr<const List>(std::make_shared<BuiltList>(std::move(items)));
}

Value Value::optional(Optional value) {
  return std::shared_ptr<const Optional>(std::make_shared<Optional>(std::move(value)));
}

Value Value::quantity(const Amount& value) {
  return std::shared_ptr<const Amount>(std::make_shared<Amount>(value));
}

Value Value::error(std::string message) {
  return Failure{false, std::make_shared<const std::string>(std::move(message))};
}

Value Value::unknown(std::string what) {
  return Failure{true, std::make_shared<const std::string>(std::move(what))};
}

bool BuiltMap::Less::operator()(const Value& a, const Value& b) const {
  if (rank_of(a) != rank_of(b)) return rank_of(a) < rank_of(b);
  return compare(a, b) == std::partial_ordering::less;
}

bool BuiltMap::insert(const Value& key, const Value& value) {
  return entries_.try_emplace(key, value).second;
}

std::optional<Value> BuiltMap::find(const Value& key) const {
  const Value whole = as_whole_number(key);
  if (!is_key(whole)) return std::nullopt;
  const auto found = entries_.find(whole);
  return found == entries_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<Value> BuiltMap::keys() const {
  std::vector<Value> keys;
  keys.reserve(entries_.size());
  for (const auto& [key, value] : entries_) keys.push_back(key);
  return keys;
}

bool is_key(const Value& value) {
  return value.is(Kind::string) || value.is(Kind::boolean) || value.is(Kind::integer) ||
         value.is(Kind::unsigned_integer);
}

std::string_view type_name(const Value& value) {
  constexpr auto kNames = std::to_array<std::string_view>({
      "error",
      "null_type",
      "bool",
      "int",
      "uint",
      "double",
      "string",
      "bytes",
      "list",
      "map",
      "google.protobuf.Timestamp",
      "google.protobuf.Duration",
      "type",
      "optional_type",
      "kubernetes.Quantity",
      "net.IP",
      "net.CIDR",
      "kubernetes.URL",
      "kubernetes.Semver",
  });
  return kNames.at(static_cast<std::size_t>(value.kind()));
}

std::optional<std::partial_ordering> compare(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) return compare_numbers(a, b);
  if (a.kind() != b.kind()) return std::nullopt;
  switch (a.kind()) {
    case Kind::boolean:
      return a.get<bool>() <=> b.get<bool>();
    case Kind::string:
      return a.text() <=> b.text();
    case Kind::bytes:
      return a.get<Bytes>().text.view() <=> b.get<Bytes>().text.view();
    case Kind::timestamp:
      return a.get<Timestamp>() <=> b.get<Timestamp>();
    case Kind::duration:
      return a.get<Duration>() <=> b.get<Duration>();
    default:
      return std::nullopt;
  }
}

Value as_whole_number(const Value& number) {
  if (number.is(Kind::unsigned_integer) && number.get<std::uint64_t>() <= INT64_MAX) {
    return static_cast<std::int64_t>(number.get<std::uint64_t>());
  }
  if (!number.is(Kind::floating)) return number;
  const double value = number.get<double>();
  if (std::trunc(value) != value) return number;
  if (value >= -kTwo63 && value < kTwo63) return static_cast<std::int64_t>(value);
  if (value >= 0 && value < kTwo64) return static_cast<std::uint64_t>(value);
  return number;
}

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
