#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

#include "core/yaml/node.h"

namespace cnsched::cli {

/// A JSON value to be written. Objects keep the order of their keys. In braces, a list of pairs
/// that begin with a string is an object, any other list an array: `Json{{"line", 3}, {"tags",
/// {"a"}}}`.
class Json {
 public:
  Json() = default;  ///< null; becomes an object or array when something is added
  Json(std::nullptr_t) {}
  Json(std::same_as<bool> auto value) : kind_(Kind::literal), text_(value ? "true" : "false") {}
  template <std::integral Integer>
    requires(!std::same_as<Integer, bool> && !std::same_as<Integer, char>)
  Json(Integer value) : kind_(Kind::literal), text_(std::to_string(value)) {}
  /// Finite.
  Json(std::same_as<double> auto value) : Json(literal_of(value)) {}
  /// Invalid UTF-8 becomes U+FFFD.
  Json(std::string_view text);
  Json(const std::string& text) : Json(std::string_view(text)) {}
  Json(const char* text) : Json(std::string_view(text)) {}
  /// An array of strings or numbers.
  template <std::ranges::input_range Range>
    requires(!std::convertible_to<const Range&, std::string_view> && !std::same_as<Range, Json>)
  Json(const Range& values) : Json(array()) {
    for (const auto& value : values) push_back(Json(value));
  }
  Json(std::initializer_list<Json> values);
  /// Aliases are written out.
  static Json from(const yaml::Node& node);
  static Json array(std::initializer_list<Json> values = {});

  /// The value of a key of an object, added as null if it is missing.
  Json& operator[](std::string_view key);
  void push_back(Json value);
  /// Adds the entries of an object, or replaces those with the same keys.
  void update(Json object);

  bool is_array() const { return kind_ == Kind::array; }
  bool contains(std::string_view key) const;
  std::size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  Json& back() { return items_.back(); }

  /// Indented by two spaces, without a line end. Only ASCII.
  std::string text() const;

 private:
  enum class Kind : std::uint8_t { null, literal, array, object };
  static Json literal_of(double value);
  /// [key, value], in braces: `text_` of the first item is the key in quotes.
  bool is_pair() const;
  void write(std::string& out, std::size_t indent) const;

  Kind kind_ = Kind::null;
  bool is_string_ = false;
  std::string text_;               ///< of a literal, as JSON has it
  std::vector<std::string> keys_;  ///< of an object, in quotes
  std::vector<Json> items_;        ///< of an array or, one for each key, of an object
};

/// Writes one JSON document with a line end. The text is ASCII without "##", so it cannot control a
/// terminal or a CI system.
void write_document(const Json& json, std::ostream& out);
/// The same without the line end: one value of a document that is too large to be built as a whole.
void write_json_value(const Json& json, std::ostream& out);

}  // namespace cnsched::cli
