#include "core/yaml/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

namespace cnsched::yaml {

const Node& mapping_like(Arena& arena, const Node& like, const std::vector<Entry>& entries) {
  Node* node = arena.make<Node>(like);
  node->kind = Node::Kind::mapping;
  node->set_entries(arena.copy(entries));
  return *node;
}

const Node& sequence_like(Arena& arena, const Node& like, const std::vector<const Node*>& items) {
  Node* node = arena.make<Node>(like);
  node->kind = Node::Kind::sequence;
  node->set_items(arena.copy(items));
  return *node;
}

const Node& string_like(Arena& arena, const Node& like, std::string_view text) {
  Node* node = arena.make<Node>(like);
  node->kind = Node::Kind::scalar;
  node->type = ScalarType::string;
  node->made = true;
  node->set_text(arena.copy(text));
  return *node;
}

namespace {

const Node& plain_like(Arena& arena, const Node& like, std::string_view text, ScalarType type) {
  Node* node = arena.make<Node>(string_like(arena, like, text));
  node->type = type;
  node->quoted = false;
  return *node;
}

}  // namespace

const Node& integer_like(Arena& arena, const Node& like, std::int64_t value) {
  return plain_like(arena, like, fmt::to_string(value), ScalarType::integer);
}

const Node& boolean_like(Arena& arena, const Node& like, bool value) {
  return plain_like(arena, like, value ? "true" : "false", ScalarType::boolean);
}

namespace {

/// Keys that controllers write into every pod: one node of each does for all of them.
const Node* common_key(std::string_view key) {
  static const auto kNodes = [] {
    constexpr auto kKeys = std::to_array<std::string_view>({"app",
                                                            "args",
                                                            "component",
                                                            "containers",
                                                            "cpu",
                                                            "emptyDir",
                                                            "env",
                                                            "image",
                                                            "initContainers",
                                                            "limits",
                                                            "memory",
                                                            "mountPath",
                                                            "name",
                                                            "readOnly",
                                                            "requests",
                                                            "resources",
                                                            "serving.knative.dev/configuration",
                                                            "serving.knative.dev/revision",
                                                            "serving.knative.dev/service",
                                                            "serving.kserve.io/inferenceservice",
                                                            "value",
                                                            "volumeMounts",
                                                            "volumes"});
    std::unordered_map<std::string_view, Node> nodes;
    for (const std::string_view each : kKeys) nodes.emplace(each, constant(each));
    return nodes;
  }();
  const auto found = kNodes.find(key);
  return found == kNodes.end() ? nullptr : &found->second;
}

}  // namespace

Entry entry_of(Arena& arena, std::string_view key, const Node& value) {
  const Node* node = common_key(key);
  if (node == nullptr) node = &string_like(arena, nowhere(), key);
  return {.key = node, .value = &value, .digest = digest_of(key)};
}

void set(Arena& arena, std::vector<Entry>& entries, std::string_view key, const Node& value) {
  const auto place =
      std::ranges::find_if(entries, [&](const Entry& entry) { return entry.key->text() == key; });
  if (place == entries.end()) {
    entries.push_back(entry_of(arena, key, value));
  } else {
    place->value = &value;
  }
}

const Node& with(Arena& arena, const Node& mapping, std::string_view key, const Node& value) {
  std::vector<Entry> entries = entries_of(mapping);
  set(arena, entries, key, value);
  return mapping_like(arena, mapping ? mapping : value, entries);
}

const Node& without(Arena& arena, const Node& mapping, std::string_view key) {
  std::vector<Entry> entries = entries_of(mapping);
  std::erase_if(entries, [&](const Entry& entry) { return entry.key->text() == key; });
  return mapping_like(arena, mapping, entries);
}

const Node& with_item(Arena& arena, const Node& sequence, const Node& item) {
  std::vector<const Node*> items(sequence.items().begin(), sequence.items().end());
  items.push_back(&item);
  return sequence_like(arena, sequence ? sequence : item, items);
}

std::vector<Entry> entries_of(const Node& mapping) {
  std::vector<Entry> entries;
  for (const Entry& entry : mapping.entries()) {
    if (!entry.overridden) entries.push_back(entry);
  }
  return entries;
}

std::vector<Entry> pick(const Node& mapping, std::span<const std::string_view> fields) {
  std::vector<Entry> entries;
  for (const Entry& entry : entries_of(mapping)) {
    if (std::ranges::find(fields, entry.key->text()) != fields.end()) entries.push_back(entry);
  }
  return entries;
}

}  // namespace cnsched::yaml
