#include "core/yaml/edit_check.h"

#include <fmt/format.h>

#include <unordered_set>

#include "core/yaml/walk.h"

namespace cnsched::yaml {

namespace {

/// What an alias or a `<<` repeats.
std::unordered_set<const Node*> repeated(const Node& root) {
  std::unordered_set<const Node*> targets;
  walk(root, [&](const Node& node) {
    if (node.anchored != nullptr) targets.insert(node.anchored);
    for (const Entry& entry : node.entries) {
      if (entry.merged) targets.insert(entry.value->parent);
      if (entry.key->anchored != nullptr) targets.insert(entry.key->anchored);
    }
  });
  return targets;
}

bool is_within(const Node* node, const Node& other) {
  while (node != nullptr && node != &other) node = node->parent;
  return node == &other;
}

/// A key is no node that `walk` visits, and has its mapping as parent.
bool is_within_entry(const Node* target, const Node& node) {
  return is_within(target, node) || (node.key != nullptr && target == node.key);
}

std::string name_of(const Edited& edited, const Node& node) {
  const std::string pointer = pointer_to(node, *edited.document.root);
  return pointer.empty() ? "the document" : fmt::format("'{}'", pointer);
}

}  // namespace

Result<std::vector<Edit>> choose(const Edited& edited, const Ways& ways, const Intent& intent) {
  for (const std::vector<Edit>& way : ways) {
    if (achieves(way, edited.file, edited.document, intent)) return way;
  }
  return Error{fmt::format("{} is written in a way that cnsched cannot edit",
                           name_of(edited, *intent.begin()->first))};
}

std::optional<Error> obstacle(const Edited& edited, const Node& node) {
  const Node& root = *edited.document.root;
  if (node.is_missing() || !is_within(&node, root)) {
    return Error{"what is not written in the document cannot be edited"};
  }
  for (const Node* target : repeated(root)) {
    if (is_within_entry(target, node) || is_within(&node, *target)) {
      return Error{
          fmt::format("{} shows in two places, for an alias repeats it", name_of(edited, node))};
    }
  }
  return std::nullopt;
}

Edit replace(const Edited& edited, Range range, std::string text) {
  return {edited.layout.span(range), std::move(text)};
}

Edit insert(const Edited& edited, std::size_t at, std::string text) {
  return replace(edited, {at, at}, std::move(text));
}

}  // namespace cnsched::yaml
