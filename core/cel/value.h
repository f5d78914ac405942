#pragma once

#include <array>
#include <compare>
#include <concepts>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/base/quantity.h"
#include "core/yaml/node.h"

namespace cnsched::cel {

/// A quantity with the number that Kubernetes stores for it. CEL's isInteger() and
/// asApproximateFloat() show that number: quantity('1000m') is not an integer.
/// Source: k8s.io/apimachinery pkg/api/resource/amount.go, int64Amount.
struct Amount {
  /// value * 10^scale.
  struct Stored {
    std::int64_t value = 0;
    int scale = 0;
  };

  static Result<Amount> parse(std::string_view text);
  static Amount of(std::int64_t value);

  /// Nothing if the result is too large for Quantity.
  std::optional<Amount> plus(const Amount& other) const;
  Amount negated() const;
  /// The whole number, if Kubernetes can give it.
  std::optional<std::int64_t> integer() const;

  Quantity quantity{};
  std::optional<Stored> stored{};  ///< nothing: too large for 64 bits
};

}  // namespace cnsched::cel

// The values of CEL. Source: https://github.com/google/cel-spec/blob/master/doc/langdef.md.

namespace cnsched::cel {

class List;
class Map;
class Value;

struct Null {
  friend bool operator==(const Null&, const Null&) = default;
};

/// Text that is shared, or that outlives the evaluation.
class Text {
 public:
  explicit Text(std::string text)
      : owner_(std::make_shared<const std::string>(std::move(text))), view_(*owner_) {}
  /// Text that outlives the value, such as that of a manifest.
  static Text view_of(std::string_view text) { return Text(text, nullptr); }
  /// A part of this text.
  Text part(std::size_t begin, std::size_t length) const {
    return Text(view_.substr(begin, length), owner_);
  }

  std::string_view view() const { return view_; }

 private:
  Text(std::string_view view, std::shared_ptr<const std::string> owner)
      : owner_(std::move(owner)), view_(view) {}

  std::shared_ptr<const std::string> owner_;
  std::string_view view_;
};

struct Bytes {
  Text text;
};

/// From year 1 to 9999.
struct Timestamp {
  std::int64_t seconds = 0;  ///< since 1970, UTC
  std::int32_t nanos = 0;    ///< 0 to 999,999,999
  std::int32_t offset = 0;   ///< seconds east of UTC, which string() shows

  friend std::strong_ordering operator<=>(const Timestamp& a, const Timestamp& b) {
    return a.seconds == b.seconds ? a.nanos <=> b.nanos : a.seconds <=> b.seconds;
  }
};

struct Duration {
  std::int64_t nanos = 0;
  friend auto operator<=>(const Duration&, const Duration&) = default;
};

/// A type as a value, such as `int` or `type('x')`. The name outlives all values.
struct Type {
  std::string_view name;
  friend bool operator==(const Type&, const Type&) = default;
};

struct Ip {
  std::array<std::uint8_t, 16> bytes{};  ///< of IPv4 the first four
  bool is_v6 = false;
  friend bool operator==(const Ip&, const Ip&) = default;
};

struct Cidr {
  Ip ip;
  std::uint8_t prefix = 0;
  friend bool operator==(const Cidr&, const Cidr&) = default;
};

struct Url {
  std::string text;
  std::string scheme, host, hostname, port, path, query;
};

/// Source: https://semver.org. Build metadata does not count in comparisons.
struct Semver {
  std::uint64_t major = 0, minor = 0, patch = 0;
  std::vector<std::string> prerelease;

  friend std::strong_ordering operator<=>(const Semver& a, const Semver& b);
  friend bool operator==(const Semver& a, const Semver& b) { return std::is_eq(a <=> b); }
};

/// Why there is no value.
struct Failure {
  bool is_unknown = false;  ///< not evaluated; otherwise CEL itself reports an error
  std::shared_ptr<const std::string> message;
};

using Optional = std::optional<Value>;

/// In the order of Value's alternatives.
enum class Kind : std::uint8_t {
  failure,
  null,
  boolean,
  integer,
  unsigned_integer,
  floating,
  string,
  bytes,
  list,
  map,
  timestamp,
  duration,
  type,
  optional,
  quantity,
  ip,
  cidr,
  url,
  semver,
};

template <typename T, typename... Alternatives>
consteval bool is_alternative(std::type_identity<std::variant<Alternatives...>> /*variant*/) {
  return (std::same_as<T, Alternatives> || ...);
}

/// A value, an error of CEL, or "unknown": what this evaluator does not know or do. Cheap to copy.
class Value {
 public:
  using State =
      std::variant<Failure, Null, bool, std::int64_t, std::uint64_t, double, Text, Bytes,
                   std::shared_ptr<const List>, std::shared_ptr<const Map>, Timestamp, Duration,
                   Type, std::shared_ptr<const Optional>, std::shared_ptr<const Amount>, Ip, Cidr,
                   std::shared_ptr<const Url>, std::shared_ptr<const Semver>>;

  Value() : state_(Null{}) {}
  template <typename T>
    requires(is_alternative<T>(std::type_identity<State>()))
  Value(T value)  // NOLINT(google-explicit-constructor)
      : state_(std::in_place_type<T>, std::move(value)) {}
  static Value string(std::string text) { return Text(std::move(text)); }
  static Value integer(std::size_t value) { return static_cast<std::int64_t>(value); }
  static Value list(std::vector<Value> items);
  static Value optional(Optional value);
  static Value quantity(const Amount& value);
  /// An error that CEL's semantics define, such as "no such key: x".
  static Value error(std::string message);
  /// `what` names what is not evaluated.
  static Value unknown(std::string what);

  Kind kind() const { return static_cast<Kind>(state_.index()); }
  bool is(Kind kind) const { return this->kind() == kind; }
  bool is_failure() const { return is(Kind::failure); }
  bool is_unknown() const { return is_failure() && get<Failure>().is_unknown; }
  bool is_error() const { return is_failure() && !is_unknown(); }
  bool is_true() const { return is(Kind::boolean) && get<bool>(); }
  bool is_number() const {
    return is(Kind::integer) || is(Kind::unsigned_integer) || is(Kind::floating);
  }

  template <typename T>
  const T& get() const {
    return std::get<T>(state_);
  }
  std::string_view text() const { return get<Text>().view(); }
  const List& list() const { return *get<std::shared_ptr<const List>>(); }
  const Map& map() const { return *get<std::shared_ptr<const Map>>(); }
  const Optional& optional() const { return *get<std::shared_ptr<const Optional>>(); }
  const Amount& quantity() const { return *get<std::shared_ptr<const Amount>>(); }
  /// Of an error or unknown.
  std::string_view message() const { return *get<Failure>().message; }

 private:
  State state_;
};

/// A list, built or read lazily. `at` may return a failure, which the evaluation passes on.
class List {
 public:
  virtual ~List() = default;
  virtual std::size_t size() const = 0;
  virtual Value at(std::size_t index) const = 0;
};

/// A map or an object. Keys are strings, integers or booleans.
class Map {
 public:
  virtual ~Map() = default;
  virtual std::size_t size() const = 0;
  /// The value of `key`, which may be a failure; nothing if there is no such key.
  virtual std::optional<Value> find(const Value& key) const = 0;
  /// Whether `has(map.key)` and `key in map` are true.
  virtual bool has(const Value& key) const { return find(key).has_value(); }
  virtual std::vector<Value> keys() const = 0;
};

/// A map that an expression or C++ code builds. Keys are those that CEL allows.
class BuiltMap : public Map {
 public:
  /// Returns whether the key is new; otherwise nothing changes.
  bool insert(const Value& key, const Value& value);

  std::size_t size() const override { return entries_.size(); }
  std::optional<Value> find(const Value& key) const override;
  std::vector<Value> keys() const override;

 private:
  struct Less {
    bool operator()(const Value& a, const Value& b) const;
  };
  std::map<Value, Value, Less> entries_;
};

/// The quantity or semantic version in a text, or an error.
Value quantity_value(std::string_view text);
Value semver_value(std::string_view text);

/// Whether CEL allows it as the key of a map.
bool is_key(const Value& value);

/// The name of the type in CEL: "int", "google.protobuf.Timestamp".
std::string_view type_name(const Value& value);

/// The order of values that CEL compares with `<`: numbers of all types with each other, strings,
/// bytes, booleans, timestamps and durations. Nothing if it does not; unordered for NaN.
std::optional<std::partial_ordering> compare(const Value& a, const Value& b);

/// The value as a key or index: a double without fraction is an integer, an unsigned number that
/// fits too.
Value as_whole_number(const Value& number);

/// A YAML value as CEL sees the JSON that kubectl sends: whole numbers are int, others double.
/// Mappings and lists are read when they are used, so the node must outlive the value.
Value value_of(const yaml::Node& node);

}  // namespace cnsched::cel
