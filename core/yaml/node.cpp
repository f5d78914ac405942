#include "core/yaml/node.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace cnsched::yaml {

namespace {

std::string escaped(std::string_view name) {
  std::string result;
  for (const char c : name) {
    if (c == '~') {
      result += "~0";
    } else if (c == '/') {
      result += "~1";
    } else {
      result += c;
    }
  }
  return result;
}

/// What the parent calls `node`: its key, or its index.
std::string step_to(const Node& node) {
  if (node.key != nullptr) return escaped(node.key->text);
  const auto place = std::ranges::find(node.parent->items, &node);
  return fmt::to_string(place - node.parent->items.begin());
}

}  // namespace

const Node& Node::operator[](std::string_view name) const {
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    if (entry->key->text == name) return *entry->value;
  }
  return missing_node();
}

const Node& Node::at(std::size_t index) const {
  return index < items.size() ? *items[index] : missing_node();
}

const Node& missing_node() {
  static constexpr Node kMissing;
  return kMissing;
}

std::string pointer_to(const Node& node, const Node& root) {
  std::vector<std::string> steps;
  for (const Node* at = &node; at != &root && at->parent != nullptr; at = at->parent) {
    steps.push_back(step_to(*at));
  }
  std::string pointer;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) pointer += "/" + *step;
  return pointer;
}

}  // namespace cnsched::yaml
