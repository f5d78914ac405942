#include "core/yaml/repetition.h"

#include <fmt/format.h>

#include <unordered_map>
#include <vector>

#include "core/yaml/walk.h"

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

/// The innermost node that holds both, or null.
const Node* common_holder(const Node* a, const Node* b) {
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

}  // namespace

std::string name_in(const Document& document, const Node& node) {
  const std::string pointer = pointer_to(node, *document.root);
  return pointer.empty() ? "the document" : fmt::format("'{}'", pointer);
}

Repetitions::Repetitions(const Document& document) : document_(document) {
  const std::vector<Repetition> all = repetitions_in(document);
  if (all.empty()) return;
  for (const Repetition& repetition : all) targets_.insert(repetition.target);
  // A key goes with its value.
  std::unordered_map<const Node*, const Node*> values;
  walk(*document.root, [&](const Node& node) {
    for (const Entry& entry : node.entries()) {
      if (!entry.merged && targets_.contains(entry.key)) values[entry.key] = entry.value;
    }
  });
  for (const auto& [user, target] : all) {
    const Node* common = common_holder(user, target);
    for (const Node* holder = target; holder != common; holder = holder->parent()) {
      needed_outside_.insert(holder);
    }
    const auto value = values.find(target);
    if (value != values.end() && !is_within(user, *value->second)) {
      needed_outside_.insert(value->second);
    }
  }
}

bool Repetitions::is_repeated(const Node& node) const {
  if (targets_.empty()) return false;
  const Node* holder = &node;
  while (holder != nullptr && !targets_.contains(holder)) holder = holder->parent();
  return holder != nullptr;
}

std::optional<Error> Repetitions::obstacle(const Node& node, Effect effect) const {
  if (node.is_missing() || !is_within(&node, *document_.root)) {
    return Error{"what is not written in the document cannot be edited"};
  }
  if (!is_repeated(node) && (effect == Effect::more || !needed_outside_.contains(&node))) {
    return std::nullopt;
  }
  return Error{
      fmt::format("{} shows in two places, for an alias repeats it", name_in(document_, node))};
}

}  // namespace cnsched::yaml
