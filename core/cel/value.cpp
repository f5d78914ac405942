#include "core/cel/value.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/portability.h"
#include "core/base/text.h"
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

using Stored = Amount::Stored;

std::optional<std::int64_t> scaled(std::int64_t value, int scale) {
  for (; scale > 0 && value != 0; --scale) {
    if (__builtin_mul_overflow(value, 10, &value)) return std::nullopt;
  }
  return value;
}

std::optional<Stored> sum(const Stored& a, const Stored& b) {
  if (b.value == 0) return a;
  if (a.value == 0) return b;
  const int scale = std::min(a.scale, b.scale);
  const auto left = scaled(a.value, a.scale - scale);
  const auto right = scaled(b.value, b.scale - scale);
  std::int64_t value = 0;
  if (!left || !right || __builtin_add_overflow(*left, *right, &value)) return std::nullopt;
  return Stored{value, scale};
}

/// The exponent of a decimal suffix or of "e3".
std::optional<int> decimal_exponent(std::string_view suffix) {
  constexpr std::string_view kSuffixes = "num kMGTPE";  // from -9 in steps of 3
  if (suffix.empty()) return 0;
  if (suffix.size() == 1 && suffix != " ") {
    return static_cast<int>(kSuffixes.find(suffix.front())) * 3 - 9;
  }
  if (suffix.front() != 'e' && suffix.front() != 'E') return std::nullopt;
  suffix.remove_prefix(suffix[1] == '+' ? 2 : 1);
  return whole_number<int>(suffix);
}

/// As ParseQuantity's fast path, which reads what has few digits. `text` is a valid quantity.
std::optional<Stored> stored_number(std::string_view text) {
  constexpr int kMaxDigits = 18;
  constexpr int kMaxBinaryDigits = 15;
  constexpr int kSmallestScale = -9;
  constexpr std::string_view kBinarySuffixes = "KMGTPE";
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));

  std::string digits;
  int decimals = -1;  // none
  for (; !text.empty() && (is_digit(text.front()) || text.front() == '.'); text.remove_prefix(1)) {
    if (is_digit(text.front())) digits += text.front();
    if (decimals >= 0 || text.front() == '.') ++decimals;
  }
  decimals = std::max(decimals, 0);
  if (static_cast<int>(digits.size()) == decimals) digits.insert(0, "0");
  const auto length = static_cast<int>(digits.size());
  if (length > kMaxDigits) return std::nullopt;

  Stored stored;
  stored.value = whole_number<std::int64_t>(digits).value_or(0);
  if (is_negative) stored.value = -stored.value;
  if (text.size() == 2 && text.back() == 'i') {
    constexpr int kBits = 10;
    const int exponent = (static_cast<int>(kBinarySuffixes.find(text.front())) + 1) * kBits;
    const int precision = kMaxBinaryDigits - length - exponent * 3 / kBits - 1;
    if (decimals > 0 || precision < 0) return std::nullopt;
    const auto factor = std::int64_t{1} << static_cast<unsigned>(exponent);
    if (__builtin_mul_overflow(stored.value, factor, &stored.value)) return std::nullopt;
    return stored;
  }
  const auto exponent = decimal_exponent(text);
  if (!exponent) return std::nullopt;
  stored.scale = *exponent - decimals;
  return stored.scale < kSmallestScale ? std::nullopt : std::optional(stored);
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

Result<Amount> Amount::parse(std::string_view text) {
  const auto quantity = Quantity::parse(text);
  if (!quantity) return quantity.error();
  return Amount{*quantity, stored_number(text)};
}

Amount Amount::of(std::int64_t value) {
  return {*Quantity::parse(std::to_string(value)), Stored{value, 0}};
}

std::optional<Amount> Amount::plus(const Amount& other) const {
  Amount result = *this;
  result.quantity += other.quantity;
  if (result.quantity.is_capped()) return std::nullopt;
  result.stored = stored && other.stored ? sum(*stored, *other.stored) : std::nullopt;
  return result;
}

Amount Amount::negated() const {
  Amount result = *this;
  result.quantity = -result.quantity;
  if (result.stored && result.stored->value == INT64_MIN) result.stored.reset();
  if (result.stored) result.stored->value = -result.stored->value;
  return result;
}

std::optional<std::int64_t> Amount::integer() const {
  if (!stored || stored->scale < 0) return std::nullopt;
  return scaled(stored->value, stored->scale);
}

}  // namespace cnsched::cel
