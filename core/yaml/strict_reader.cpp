#include "core/yaml/strict_reader.h"

#include <algorithm>

#include "core/base/suggest.h"
#include "core/base/text.h"
#include "core/yaml/scalar.h"

namespace cnsched::yaml {

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
