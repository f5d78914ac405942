#include "core/yaml/edit_obstacles.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace cnsched::yaml {

namespace {

/// An alias or a mapping with `<<`, and what it repeats.
struct Repetition {
  const Node* user = nullptr;
  const Node* target = nullptr;
};

std::vector<Repetition> repetitions_in(const Document& document) {
  std::vector<Repetition> all;
  walk(*document.root, [&](const Node& node) {
    if (node.anchored() != nullptr) all.push_back({&node, node.anchored()});
    for (const Entry& entry : node.entries()) {
      const Node* key = entry.key->anchored();
      if (entry.merged) all.push_back({&node, entry.value->parent()});
      if (!entry.merged && key != nullptr) all.push_back({entry.value, key});
    }
  });
  return all;
}

bool is_within(const Node* node, const Node& other) {
  while (node != nullptr && node != &other) node = node->parent();
  return node == &other;
}

std::size_t depth_of(const Node* node) {
  std::size_t depth = 0;
  for (; node != nullptr; node = node->parent()) ++depth;
  return depth;
}

/// The innermost node that contains both, or null.
const Node* common_ancestor(const Node* a, const Node* b) {
  std::size_t depth_a = depth_of(a);
  std::size_t depth_b = depth_of(b);
  for (; depth_a > depth_b; --depth_a) a = a->parent();
  for (; depth_b > depth_a; --depth_b) b = b->parent();
  while (a != b) {
    a = a->parent();
    b = b->parent();
  }
  return a;
}

/// Whether a comment, or a part of one, is at `where`.
bool has_comment(const Document& document, Span where) {
  const auto after = std::ranges::lower_bound(document.comments, where.end, {},
                                              [](const Comment& c) { return c.span.begin; });
  if (after == document.comments.begin()) return false;
  const Span comment = std::prev(after)->span;
  return comment.file == where.file && where.begin < comment.end;
}

}  // namespace

std::string name_in(const Document& document, const Node& node) {
  const std::string pointer = pointer_to(node, *document.root);
  return pointer.empty() ? "the document" : fmt::format("'{}'", pointer);
}

EditObstacles::EditObstacles(const Document& document) : document_(document) {
  const std::vector<Repetition> all = repetitions_in(document);
  if (all.empty()) return;
  for (const Repetition& repetition : all) targets_.insert(repetition.target);
  // Removing a value also removes its key.
  std::unordered_map<const Node*, const Node*> values;
  walk(*document.root, [&](const Node& node) {
    for (const Entry& entry : node.entries()) {
      if (!entry.merged && targets_.contains(entry.key)) values[entry.key] = entry.value;
    }
  });
  for (const auto& [user, target] : all) {
    const Node* common = common_ancestor(user, target);
    for (const Node* ancestor = target; ancestor != common; ancestor = ancestor->parent()) {
      referenced_outside_.insert(ancestor);
    }
    const auto value = values.find(target);
    if (value != values.end() && !is_within(user, *value->second)) {
      referenced_outside_.insert(value->second);
    }
  }
}

bool EditObstacles::is_repeated(const Node& node) const {
  if (targets_.empty()) return false;
  const Node* ancestor = &node;
  while (ancestor != nullptr && !targets_.contains(ancestor)) ancestor = ancestor->parent();
  return ancestor != nullptr;
}

std::optional<Error> EditObstacles::find(const Node& node, Effect effect) const {
  if (node.is_missing() || !is_within(&node, *document_.root)) {
    return Error{"a value that is not written in the document cannot be edited"};
  }
  if (!is_repeated(node) && (effect == Effect::add || !referenced_outside_.contains(&node))) {
    return std::nullopt;
  }
  return Error{fmt::format("{} is repeated by an alias: an edit would change both places",
                           name_in(document_, node))};
}

std::optional<Error> EditObstacles::find(const Change& change) const {
  switch (change.kind) {
    case Change::Kind::comment:
      if (has_comment(document_, change.where)) return std::nullopt;
      return Error{"there is no comment"};
    case Change::Kind::rename:
      if (change.node->parent() == nullptr) return Error{"only an entry of a mapping has a key"};
      return find(*change.node->parent(), Effect::add);
    case Change::Kind::move:
      if (auto error = find(*change.node, Effect::remove)) return error;
      return find(*change.value, Effect::add);
    case Change::Kind::erase:
    case Change::Kind::set:
      return find(*change.node, Effect::remove);
    case Change::Kind::add_entry:
    case Change::Kind::add_item:
      break;
  }
  return find(*change.node, Effect::add);
}

std::optional<Error> EditObstacles::find(std::span<const Change> changes) const {
  for (const Change& change : changes) {
    if (auto error = find(change)) return error;
  }
  return std::nullopt;
}

}  // namespace cnsched::yaml
