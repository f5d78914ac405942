#include "core/yaml/intent.h"

#include <optional>
#include <stdexcept>

#include "core/yaml/compare.h"
#include "core/yaml/embedded.h"
#include "core/yaml/merge_keys.h"
#include "core/yaml/tree.h"
#include "core/yaml/walk.h"

namespace cnsched::yaml {

namespace {

/// Makes the tree that is intended.
class Rebuild {
 public:
  Rebuild(Arena& arena, const Intent& intent) : arena_(arena), intent_(intent) {}

  /// A null pointer for what is erased.
  const Node* rebuilt(const Node& node) {
    if (const auto change = intent_.find(&node); change != intent_.end()) {
      ++done_;
      return change->second;
    }
    if (node.anchored != nullptr) return &node;
    if (node.is_sequence()) return sequence(node);
    return node.is_mapping() ? mapping(node) : &node;
  }

  /// Whether everything that is to change was found.
  bool complete() const { return done_ == intent_.size(); }

 private:
  const Node* sequence(const Node& node) {
    std::vector<const Node*> items;
    bool same = true;
    for (const Node* item : node.items) {
      const Node* other = rebuilt(*item);
      if (other != nullptr) items.push_back(other);
      same = same && other == item;
    }
    return same ? &node : &sequence_like(arena_, node, items);
  }

  const Node* mapping(const Node& node) {
    std::vector<Entry> entries;
    bool same = true;
    for (const Entry& entry : node.entries) {
      const Node* other = entry.merged ? entry.value : rebuilt(*entry.value);
      if (other != nullptr) {
        entries.push_back({.key = entry.key, .value = other, .merged = entry.merged});
      }
      same = same && other == entry.value;
    }
    if (same) return &node;
    mark_overridden(entries);
    return &mapping_like(arena_, node, entries);
  }

  Arena& arena_;
  const Intent& intent_;
  std::size_t done_ = 0;
};

/// The document's text with the edits made; nothing if they do not fit, as may be where the text is
/// too strange to tell what lies where.
std::optional<std::string> edited(const std::vector<Edit>& edits, const SourceFile& file,
                                  const Document& document) {
  std::vector<Edit> moved = edits;
  for (Edit& edit : moved) {
    edit.where.begin -= document.span.begin;
    edit.where.end -= document.span.begin;
  }
  try {
    return apply(document.text(file), std::move(moved));
  } catch (const std::logic_error&) {
    return std::nullopt;
  }
}

/// How many keys are written in vain, for they come again.
std::size_t count_overridden(const Node& root) {
  std::size_t count = 0;
  walk(root, [&](const Node& node) {
    for (const Entry& entry : node.entries) {
      if (entry.overridden && !entry.merged) ++count;
    }
  });
  return count;
}

}  // namespace

bool achieves(const std::vector<Edit>& edits, const SourceFile& file, const Document& document,
              const Intent& intent) {
  Arena arena;
  Rebuild rebuild(arena, intent);
  const Node* root = rebuild.rebuilt(*document.root);
  return root != nullptr && rebuild.complete() && leads_to(edits, file, document, *root);
}

bool leads_to(const std::vector<Edit>& edits, const SourceFile& file, const Document& document,
              const Node& meant) {
  const auto text = edited(edits, file, document);
  if (!text) return false;
  const Embedded result(*text);
  return !result.root().is_missing() && same_value(result.root(), meant) &&
         count_overridden(result.root()) <= count_overridden(*document.root);
}

}  // namespace cnsched::yaml
