#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/yaml/strict_reader.h"

namespace cnsched::yaml {

struct Field;

/// What a value of our own YAML (the configuration) may be. One description serves whoever reads
/// the value and whatever tells users of it: the JSON Schema, the examples, the manual.
struct Shape {
  enum class Type : std::uint8_t {
    text,
    boolean,
    integer,
    amount,  ///< a text or a number
    record,  ///< a mapping of `fields`
    map,     ///< a mapping whose keys are free, or `words`, to values of `parts[0]`
    list,    ///< of `parts[0]`
    either,  ///< of `parts`, which differ in being scalars, lists or mappings
  };
  Type type = Type::text;
  bool filled = false;      ///< of a text: not empty
  bool off_too = false;     ///< of a text: may be `off`, which YAML takes for a boolean
  bool any_case = false;    ///< of `words`
  std::string_view what{};  ///< what a word is: "deployment mode"
  std::vector<std::string_view> words{};  ///< all that a text, or a map's key, may be
  std::string_view pattern{};             ///< regular expression (ECMA 262) of a text or amount
  std::string (*mistake)(std::string_view text) = nullptr;  ///< why `pattern` does not match
  std::vector<Field> fields;
  std::vector<Shape> parts{};
};

/// One key of a record. Its value may be left empty, which says nothing, unless it is required.
struct Field {
  std::string_view name;
  std::string_view doc;      ///< sentences; `code` in backticks
  std::string_view example;  ///< YAML behind the colon, or lines below it that begin with "\n"
  Shape shape;
  bool required = false;
};

/// Reports all of `node`, called `name`, that is not of the shape. Missing and null are fine.
void check_shape(const Node& node, std::string_view name, const Shape& shape, StrictReader& reader);

}  // namespace cnsched::yaml
