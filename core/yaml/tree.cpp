#include "core/yaml/tree.h"

#include <algorithm>

namespace cnsched::yaml {

const Node& mapping_like(Arena& arena, const Node& like, const std::vector<Entry>& entries) {
  Node* node = arena.make<Node>(like);
  node->kind = Node::Kind::mapping;
  node->items = {};
  node->entries = arena.copy(entries);
  return *node;
}

const Node& sequence_like(Arena& arena, const Node& like, const std::vector<const Node*>& items) {
  Node* node = arena.make<Node>(like);
  node->kind = Node::Kind::sequence;
  node->entries = {};
  node->items = arena.copy(items);
  return *node;
}

const Node& string_like(Arena& arena, const Node& like, std::string_view text) {
  Node* node = arena.make<Node>(like);
  node->kind = Node::Kind::scalar;
  node->type = ScalarType::string;
  node->entries = {};
  node->items = {};
  node->text = arena.copy(text);
  return *node;
}

std::vector<Entry> pick(const Node& mapping, std::span<const std::string_view> fields) {
  std::vector<Entry> entries;
  for (const Entry& entry : mapping.entries) {
    if (std::ranges::find(fields, entry.key->text) != fields.end()) entries.push_back(entry);
  }
  return entries;
}

}  // namespace cnsched::yaml
