#include "core/yaml/shape.h"

#include <algorithm>

#include "core/base/suggest.h"
#include "core/base/text.h"
#include "core/yaml/scalar.h"

namespace cnsched::yaml {

namespace {

using Type = Shape::Type;

bool has_word(const Shape& shape, std::string_view text) {
  return std::ranges::any_of(shape.words, [&](std::string_view word) {
    return shape.any_case ? equals_ignoring_case(word, text) : word == text;
  });
}

/// A suggestion instead of `text`: similar words, or all if there are few.
std::string suggestion(const Shape& shape, std::string_view text) {
  constexpr std::size_t kFew = 4;
  const std::string near = did_you_mean(text, shape.words);
  if (!near.empty() || shape.words.size() > kFew) return near;
  return ": use " + join_words({shape.words.begin(), shape.words.end()}, "or");
}

/// Whether the map has other keys than words, and this is one.
bool takes_key(const Shape& shape, std::string_view key) {
  return !shape.pattern.empty() && shape.mistake(key).empty();
}

bool takes(const Shape& shape, const Node& node) {
  if (shape.type == Type::list) return node.is_sequence();
  if (shape.type == Type::record || shape.type == Type::map) return node.is_mapping();
  return node.is_scalar();
}

std::string_view name_of(const Shape& shape) {
  if (shape.type == Type::list) return "a list";
  return shape.type == Type::record || shape.type == Type::map ? "a mapping" : "a string";
}

class Checker {
 public:
  explicit Checker(StrictReader& reader) : reader_(reader) {}

  void value(const Node& node, std::string_view name, const Shape& shape) {
    if (!node || node.is_null() || reader_.is_full()) return;
    switch (shape.type) {
      case Type::text:
      case Type::amount:
        return text(node, name, shape);
      case Type::boolean:
        return boolean(node, name);
      case Type::integer:
        return integer(node, name);
      case Type::record:
        return record(node, name, shape);
      case Type::map:
        return map(node, name, shape);
      case Type::list:
        return list(node, name, shape);
      case Type::either:
        return either(node, name, shape);
    }
  }

 private:
  void text(const Node& node, std::string_view name, const Shape& shape) {
    if (!shape.words.empty() && node.is_scalar()) return word(node, shape);
    const bool number =
        shape.type == Type::amount && node.is_scalar() && node.type != ScalarType::boolean;
    if (!number && !reader_.string(node, name)) return;
    if (shape.filled && node.text().empty()) reader_.error(node, "'{}' must not be empty", name);
    if (shape.mistake == nullptr) return;
    const std::string mistake = shape.mistake(node.text());
    if (!mistake.empty()) reader_.error(node, "{}", mistake);
  }

  void word(const Node& node, const Shape& shape) {
    if (node.is_string() && has_word(shape, node.text())) return;
    if (shape.off_too && node.type == ScalarType::boolean && boolean_of(node.text()) == false)
      return;
    reader_.error(node, "'{}' is not a valid {}{}", node.text(), shape.what,
                  suggestion(shape, node.text()));
  }

  void boolean(const Node& node, std::string_view name) {
    // YAML 1.2 parsers, such as those of editors, read `on` and `off` as strings.
    if (node.is_scalar() &&
        (node.type == ScalarType::boolean || node.text() == "on" || node.text() == "off")) {
      return;
    }
    reader_.error(node, "'{}' must be true (on) or false (off)", name);
  }

  void integer(const Node& node, std::string_view name) {
    if (node.is_scalar() && node.type == ScalarType::integer) return;
    reader_.error(node, "'{}' must be an integer, not {}", name, describe(node));
  }

  void record(const Node& node, std::string_view name, const Shape& shape) {
    std::vector<std::string_view> keys;
    for (const Field& field : shape.fields) keys.push_back(field.name);
    if (!reader_.mapping(node, name, keys)) return;
    for (const Field& field : shape.fields) {
      const Node& found = node.under(field.name);
      if (field.required && (!found || found.is_null())) {
        reader_.error(node, "'{}' requires '{}'", name, field.name);
      }
      value(found, field.name, field.shape);
    }
  }

  void map(const Node& node, std::string_view name, const Shape& shape) {
    if (!node.is_mapping()) {
      return reader_.error(node, "'{}' must be a mapping, not {}", name, describe(node));
    }
    for (const Entry& entry : node.entries()) {
      if (reader_.is_full()) return;
      const std::string_view key = entry.key->text();
      if (entry.overridden) {
        reader_.error(*entry.key, "'{}' is set twice in '{}'", key, name);
      } else if (!shape.words.empty() && !has_word(shape, key) && !takes_key(shape, key)) {
        reader_.error(*entry.key, "'{}' is not a valid {}{}", key, shape.what,
                      suggestion(shape, key));
      }
      if (!shape.parts.empty()) needed(*entry.value, key, shape.parts.front());
    }
  }

  void list(const Node& node, std::string_view name, const Shape& shape) {
    const std::string item_name = std::string(name) + "[]";
    for (const Node* item : reader_.list(node, name)) {
      if (reader_.is_full()) return;
      needed(*item, item_name, shape.parts.front());
    }
  }

  void needed(const Node& node, std::string_view name, const Shape& shape) {
    if (node.is_null()) reader_.error(node, "'{}' must not be empty", name);
    value(node, name, shape);
  }

  void either(const Node& node, std::string_view name, const Shape& shape) {
    std::vector<std::string> names;
    for (const Shape& part : shape.parts) {
      if (takes(part, node)) return value(node, name, part);
      names.emplace_back(name_of(part));
    }
    reader_.error(node, "'{}' must be {}, not {}", name, join_words(names, "or"), describe(node));
  }

  StrictReader& reader_;
};

}  // namespace

void check_shape(const Node& node, std::string_view name, const Shape& shape,
                 StrictReader& reader) {
  Checker(reader).value(node, name, shape);
}

void StrictReader::add_error(Span at, const std::string& message) {
  const Position position = file_.position(at.begin);
  errors_.push_back({fmt::format("{}:{}:{}: {}", printable(file_.path()), position.line,
                                 position.column, printable(message))});
}

bool StrictReader::mapping(const Node& node, std::string_view name,
                           const std::vector<std::string_view>& keys) {
  if (node.is_missing() || node.is_null()) return false;
  if (!node.is_mapping()) {
    error(node, "'{}' must be a mapping, not {}", name, describe(node));
    return false;
  }
  for (const Entry& entry : node.entries()) {
    if (is_full()) break;
    const std::string_view key = entry.key->text();
    if (entry.overridden) {
      error(*entry.key, "'{}' is set twice in '{}'", key, name);
    } else if (std::ranges::find(keys, key) == keys.end()) {
      error(*entry.key, "unknown key '{}' in '{}'{}", key, name, did_you_mean(key, keys));
    }
  }
  return true;
}

std::span<const Node* const> StrictReader::list(const Node& node, std::string_view name) {
  if (!node.is_missing() && !node.is_null() && !node.is_sequence()) {
    error(node, "'{}' must be a list, not {}", name, describe(node));
  }
  return node.items();
}

std::optional<std::string_view> StrictReader::string(const Node& node, std::string_view name) {
  if (node.is_missing() || node.is_null()) return std::nullopt;
  if (!node.is_string()) {
    error(node, "'{}' must be a string, not {}; quote it", name, describe(node));
    return std::nullopt;
  }
  return node.text();
}

}  // namespace cnsched::yaml
