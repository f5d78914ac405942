#include "core/yaml/tree.h"

#include <fmt/format.h>

#include <algorithm>

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

Entry entry_of(Arena& arena, Key key, const Node& value) {
  const Node* node = key.node();
  if (node == nullptr) node = &string_like(arena, nowhere(), key.text());
  return {*node, value};
}

void set(Arena& arena, std::vector<Entry>& entries, Key key, const Node& value) {
  const auto place = std::ranges::find_if(
      entries, [&](const Entry& entry) { return entry.key->text() == key.text(); });
  if (place == entries.end()) {
    entries.push_back(entry_of(arena, key, value));
  } else {
    place->value = &value;
  }
}

const Node& with(Arena& arena, const Node& mapping, Key key, const Node& value) {
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

namespace {

class StringFiller {
 public:
  StringFiller(Arena& arena, const TextOf& text_of) : arena_(arena), text_of_(text_of) {}

  const Node& fill(const Node& node) {
    if (node.is_scalar()) return scalar(node);
    if (node.is_empty() || depth_ == kDeepest) return node;
    if (const auto known = done_.find(&node); known != done_.end()) return *known->second;
    ++depth_;
    const Node& result = node.is_mapping() ? mapping(node) : sequence(node);
    --depth_;
    done_[&node] = &result;
    return result;
  }

 private:
  const Node& scalar(const Node& node) {
    const auto text = node.is_string() ? text_of_(node.text()) : std::nullopt;
    return !text || *text == node.text() ? node : string_like(arena_, node, *text);
  }

  const Node& mapping(const Node& node) {
    std::vector<Entry> entries = entries_of(node);
    bool changed = false;
    for (Entry& entry : entries) changed |= replace(entry.value);
    return changed ? mapping_like(arena_, node, entries) : node;
  }

  const Node& sequence(const Node& node) {
    std::vector<const Node*> items(node.items().begin(), node.items().end());
    bool changed = false;
    for (const Node*& item : items) changed |= replace(item);
    return changed ? sequence_like(arena_, node, items) : node;
  }

  bool replace(const Node*& value) {
    const Node* before = value;
    value = &fill(*before);
    return value != before;
  }

  static constexpr std::size_t kDeepest = 100;
  Arena& arena_;
  const TextOf& text_of_;
  std::size_t depth_ = 0;
  std::unordered_map<const Node*, const Node*> done_;
};

}  // namespace

const Node& with_strings(Arena& arena, const Node& node, const TextOf& text_of) {
  return StringFiller(arena, text_of).fill(node);
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

void Overlay::add(const Entry& entry) {
  const auto [place, is_new] = places_.emplace(entry.key->text(), entries_.size());
  if (is_new) {
    entries_.push_back(entry);
  } else {
    entries_[place->second] = entry;
  }
}

void Overlay::add_all(const Node& mapping) {
  for (const Entry& entry : entries_of(mapping)) add(entry);
}

const Node& Overlay::mapping(const Node& like) const {
  return entries_.empty() ? missing_node() : mapping_like(arena_, like, entries_);
}

}  // namespace cnsched::yaml
