#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/yaml/node.h"

namespace cnsched::yaml {

struct Field;
class StrictReader;

/// The schema of a value of our own YAML (the configuration). The reader, the JSON Schema, the
/// examples and the manual are derived from it.
struct Shape {
  enum class Type : std::uint8_t {
    text,
    boolean,
    integer,
    amount,  ///< a text or a number
    record,  ///< a mapping of `fields`
    map,     ///< keys are free, or `words` or of `pattern`; values of `parts[0]`, or any values
    list,    ///< of `parts[0]`
    either,  ///< of `parts`, which differ in being scalars, lists or mappings
  };
  Type type = Type::text;
  bool filled = false;      ///< of a text: not empty
  bool off_too = false;     ///< of a text: may be `off`, which YAML reads as a boolean
  bool any_case = false;    ///< of `words`
  std::string_view what{};  ///< the name of a word in messages: "deployment mode"
  std::vector<std::string_view> words{};  ///< the allowed values of a text, or keys of a map
  std::string_view pattern{};             ///< regular expression (ECMA 262) of a text or amount
  std::string (*mistake)(std::string_view text) = nullptr;  ///< why `pattern` does not match
  std::vector<Field> fields;
  std::vector<Shape> parts{};
};

/// One key of a record. Unless it is required, its value may be empty, which sets nothing.
struct Field {
  std::string_view name;
  std::string_view doc;      ///< sentences; `code` in backticks
  std::string_view example;  ///< YAML after the colon, or lines below it that begin with "\n"
  Shape shape;
  bool required = false;
};

/// Reports everything in `node`, called `name`, that does not match the shape. Missing and null
/// match.
void check_shape(const Node& node, std::string_view name, const Shape& shape, StrictReader& reader);

/// Reads our own YAML (configuration, templates' parameters). A key that is unknown or repeated, or
/// a value of the wrong type, is an error with its position. All errors are collected.
class StrictReader {
 public:
  StrictReader(const SourceFile& file, std::vector<Error>& errors) : file_(file), errors_(errors) {}

  template <typename... Args>
  void error(const Node& at, fmt::format_string<Args...> text, Args&&... args) {
    add_error(at.span, fmt::format(text, std::forward<Args>(args)...));
  }
  void add_error(Span at, const std::string& message);
  /// Whether no more errors need to be collected.
  bool is_full() const { return errors_.size() >= 100; }

  /// Whether `node` is a mapping; null is an empty one. Reports keys that are not in `keys`.
  bool mapping(const Node& node, std::string_view name, const std::vector<std::string_view>& keys);
  /// The items of a list; reports any other value. Missing and null are empty.
  std::span<const Node* const> list(const Node& node, std::string_view name);
  /// The text of a string; reports any other value. Nothing if missing or null.
  std::optional<std::string_view> string(const Node& node, std::string_view name);

 private:
  const SourceFile& file_;
  std::vector<Error>& errors_;
};

}  // namespace cnsched::yaml
