#include "core/yaml/expected_tree.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include "core/yaml/merge_keys.h"
#include "core/yaml/move.h"
#include "core/yaml/node_text.h"
#include "core/yaml/parse.h"
#include "core/yaml/scalar.h"
#include "core/yaml/tree.h"

namespace cnsched::yaml {

namespace {

class ExpectedTree {
  using Kind = Change::Kind;

 public:
  ExpectedTree(Arena& arena, std::span<const Change> changes) : arena_(arena) {
    for (const Change& change : changes) {
      if (change.kind == Kind::comment) continue;
      of_[change.node].push_back(&change);
      if (change.kind == Kind::move) of_[change.value].push_back(&change);
    }
  }

  /// Null if the changes contradict each other.
  const Node* root(const Node& before) {
    const Node* after = rebuilt(before);
    return done_ == of_.size() && fits_ ? after : nullptr;
  }

 private:
  /// Null if the node is erased.
  const Node* rebuilt(const Node& node) {
    const auto found = of_.find(&node);
    if (found == of_.end()) return node.anchored() != nullptr ? &node : within(node, {});
    ++done_;
    for (const Change* change : found->second) {
      const bool is_moved = change->kind == Kind::move && change->node == &node;
      const bool is_removed = change->kind == Kind::erase || is_moved;
      if (!is_removed && change->kind != Kind::set) continue;
      fits_ = fits_ && !is_move_target(node, found->second);
      return is_removed ? nullptr : change->value;
    }
    return within(node, found->second);
  }

  static bool is_move_target(const Node& node, const std::vector<const Change*>& changes) {
    return std::ranges::any_of(changes, [&](const Change* change) {
      return change->kind == Kind::move && change->value == &node;
    });
  }

  /// `node` with the changes of its children, and with what is added to it.
  const Node* within(const Node& node, const std::vector<const Change*>& changes) {
    const auto has = [&](Kind kind) {
      return std::ranges::any_of(changes, [&](const Change* c) { return c->kind == kind; });
    };
    if (node.is_mapping() || has(Kind::add_entry) || has(Kind::move)) return mapping(node, changes);
    if (node.is_sequence() || has(Kind::add_item)) return sequence(node, changes);
    return &node;
  }

  const Node* sequence(const Node& node, const std::vector<const Change*>& changes) {
    std::vector<const Node*> items;
    for (const Node* item : node.items()) {
      if (const Node* other = rebuilt(*item)) items.push_back(other);
    }
    for (const Change* change : changes) {
      if (change->kind == Kind::add_item) items.push_back(change->value);
    }
    return &sequence_like(arena_, node, items);
  }

  const Node* mapping(const Node& node, const std::vector<const Change*>& changes) {
    std::vector<Entry> entries;
    for (const Entry& entry : node.entries()) {
      const Node* other = entry.merged ? entry.value : rebuilt(*entry.value);
      if (other == nullptr) continue;
      entries.push_back({.key = renamed_key(entry), .value = other, .merged = entry.merged});
    }
    for (const Change* change : changes) {
      if (change->kind != Kind::add_entry) continue;
      entries.push_back(entry_of(arena_, change->key, *change->value));
    }
    mark_overridden(entries);
    const Node* result = &mapping_like(arena_, node, entries);
    for (const Change* change : changes) {
      if (change->kind != Kind::move) continue;
      const Node* more = with_moved(arena_, *result, keys_of(change->key), *change->node);
      fits_ = fits_ && more != nullptr;
      if (more != nullptr) result = more;
    }
    return result;
  }

  const Node* renamed_key(const Entry& entry) {
    const auto found = of_.find(entry.value);
    if (found == of_.end() || entry.merged) return entry.key;
    for (const Change* change : found->second) {
      if (change->kind == Kind::rename) return &string_like(arena_, *entry.key, change->key);
    }
    return entry.key;
  }

  Arena& arena_;
  std::unordered_map<const Node*, std::vector<const Change*>> of_;
  std::size_t done_ = 0;
  bool fits_ = true;
};

/// The document's text with the edits made; nothing if they overlap, as candidates for unusual text
/// may.
std::optional<std::string> edited_text(const std::vector<Edit>& edits, const SourceFile& file,
                                       const Document& document) {
  try {
    return apply(document.text(file), edits, document.span.begin);
  } catch (const std::logic_error&) {
    return std::nullopt;
  }
}

/// The number of entries that a later entry with the same key overrides.
std::size_t count_overridden(const Node& root) {
  std::size_t count = 0;
  walk(root, [&](const Node& node) {
    for (const Entry& entry : node.entries()) {
      if (entry.overridden && !entry.merged) ++count;
    }
  });
  return count;
}

}  // namespace

const Node* expected_tree(std::span<const Change> changes, const Document& document, Arena& arena) {
  return ExpectedTree(arena, changes).root(*document.root);
}

bool leads_to(const std::vector<Edit>& edits, const SourceFile& file, const Document& document,
              const Node& expected) {
  const auto text = edited_text(edits, file, document);
  if (!text) return false;
  const Embedded result(*text);
  return !result.root().is_missing() && same_value(result.root(), expected) &&
         count_overridden(result.root()) <= count_overridden(*document.root);
}

}  // namespace cnsched::yaml
