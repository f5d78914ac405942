#include "core/yaml/node.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace cnsched::yaml {

namespace {

/// The value of a `<<`, or an item of a list of them: no step to what they bring in, which stands,
/// for who reads the result, in the mapping that merges it.
bool is_merge_source(const Node& node) {
  const Node* holder = node.key() != nullptr ? &node : node.parent();
  return holder != nullptr && holder->key() != nullptr && !holder->key()->quoted &&
         holder->key()->text() == "<<" && (holder == &node || holder->is_sequence());
}

/// What the parent calls `node`: its key, or its index.
std::string step_to(const Node& node) {
  if (node.key() != nullptr) return pointer_step(node.key()->text());
  if (node.parent()->is_mapping()) return pointer_step(node.text());  // a key leads to its value
  // Items stand in file order: a list of thousands is not searched from the front for each finding.
  auto place = std::ranges::lower_bound(node.parent()->items(), node.span.begin, {},
                                        [](const Node* item) { return item->span.begin; });
  place = std::find(place, node.parent()->items().end(), &node);
  return fmt::to_string(place - node.parent()->items().begin());
}

}  // namespace

const Node& Node::operator[](std::string_view name) const {
  const std::uint32_t digest = digest_of(name);
  const std::span<const Entry> held = entries();
  for (auto entry = held.rbegin(); entry != held.rend(); ++entry) {
    if (entry->digest != digest && entry->digest != 0) continue;
    if (entry->key->text() == name) return *entry->value;
  }
  return missing_node();
}

const Node& Node::at(std::size_t index) const {
  const std::span<const Node* const> held = items();
  return index < held.size() ? *held[index] : missing_node();
}

const Node& missing_node() {
  static constexpr Node kMissing{};
  return kMissing;
}

std::string pointer_step(std::string_view name) {
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

std::string pointer_to(const Node& node, const Node& root) {
  std::vector<std::string> steps;
  const Node* at = &node;
  while (at != &root && at != root.anchored() && at->parent() != nullptr) {
    if (!is_merge_source(*at)) steps.push_back(step_to(*at));
    at = at->parent();
  }
  // An alias repeats what stands outside `root`: no pointer of `root` leads there by `parent`.
  if (at != &root && at != root.anchored()) return {};
  std::string pointer;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) pointer += "/" + *step;
  return pointer;
}

}  // namespace cnsched::yaml
