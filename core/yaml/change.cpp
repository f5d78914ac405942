// Erasures are made together, for what loses everything is written anew; each other change gives
// its own edits. Whether all of them lead to the tree that is meant is seen by making them.
#include "core/yaml/change.h"

#include <algorithm>
#include <unordered_map>

#include "core/yaml/edit.h"
#include "core/yaml/edited.h"
#include "core/yaml/intent.h"
#include "core/yaml/merge_keys.h"
#include "core/yaml/tree.h"

namespace cnsched::yaml {

namespace {

/// The tree that changes lead to.
class Meant {
 public:
  Meant(Arena& arena, std::span<const Change> changes) : arena_(arena) {
    for (const Change& change : changes) {
      if (change.kind != Change::Kind::comment) of_[change.node].push_back(&change);
    }
  }

  /// A null pointer if the changes do not fit together: one is of a node that another one takes
  /// away.
  const Node* root(const Node& before) {
    const Node* after = rebuilt(before);
    return done_ == of_.size() ? after : nullptr;
  }

 private:
  /// A null pointer for what is erased.
  const Node* rebuilt(const Node& node) {
    const auto found = of_.find(&node);
    if (found == of_.end()) return node.anchored != nullptr ? &node : within(node, {});
    ++done_;
    for (const Change* change : found->second) {
      if (change->kind == Change::Kind::erase) return nullptr;
      if (change->kind == Change::Kind::set) return change->value;
    }
    return within(node, found->second);
  }

  /// `node` with the changes of what is in it, and with what is added to it.
  const Node* within(const Node& node, const std::vector<const Change*>& changes) {
    const auto adds = [&](Change::Kind kind) {
      return std::ranges::any_of(changes, [&](const Change* c) { return c->kind == kind; });
    };
    if (node.is_mapping() || adds(Change::Kind::add_entry)) return mapping(node, changes);
    if (node.is_sequence() || adds(Change::Kind::add_item)) return sequence(node, changes);
    return &node;
  }

  const Node* sequence(const Node& node, const std::vector<const Change*>& changes) {
    std::vector<const Node*> items;
    for (const Node* item : node.items) {
      if (const Node* other = rebuilt(*item)) items.push_back(other);
    }
    for (const Change* change : changes) {
      if (change->kind == Change::Kind::add_item) items.push_back(change->value);
    }
    return &sequence_like(arena_, node, items);
  }

  const Node* mapping(const Node& node, const std::vector<const Change*>& changes) {
    std::vector<Entry> entries;
    for (const Entry& entry : node.entries) {
      const Node* other = entry.merged ? entry.value : rebuilt(*entry.value);
      if (other == nullptr) continue;
      entries.push_back({.key = renamed_key(entry), .value = other, .merged = entry.merged});
    }
    for (const Change* change : changes) {
      if (change->kind != Change::Kind::add_entry) continue;
      entries.push_back(entry_of(arena_, change->key, *change->value));
    }
    mark_overridden(entries);
    return &mapping_like(arena_, node, entries);
  }

  const Node* renamed_key(const Entry& entry) {
    const auto found = of_.find(entry.value);
    if (found == of_.end() || entry.merged) return entry.key;
    for (const Change* change : found->second) {
      if (change->kind == Change::Kind::rename)
        return &string_like(arena_, *entry.key, change->key);
    }
    return entry.key;
  }

  Arena& arena_;
  std::unordered_map<const Node*, std::vector<const Change*>> of_;
  std::size_t done_ = 0;
};

Result<std::vector<Edit>> edits_of(const SourceFile& file, const Document& document,
                                   const Change& change) {
  switch (change.kind) {
    case Change::Kind::erase:
      return erase(file, document, *change.node);
    case Change::Kind::set:
      return set(file, document, *change.node, *change.value);
    case Change::Kind::rename:
      return rename(file, document, *change.node, change.key);
    case Change::Kind::add_entry:
      return add_entry(file, document, *change.node, change.key, *change.value);
    case Change::Kind::comment:
      return std::vector<Edit>{{change.where, change.text}};
    case Change::Kind::add_item:
      break;
  }
  return add_item(file, document, *change.node, *change.value);
}

/// Whether a comment, or a part of one, lies at `where`.
bool holds_comment(const Document& document, Span where) {
  const auto after = std::ranges::lower_bound(document.comments, where.end, {},
                                              [](const Comment& c) { return c.span.begin; });
  if (after == document.comments.begin()) return false;
  const Span comment = std::prev(after)->span;
  return comment.file == where.file && where.begin < comment.end;
}

/// What is the same twice is done once.
std::vector<Change> distinct(std::span<const Change> changes) {
  std::vector<Change> result;
  for (const Change& change : changes) {
    if (std::ranges::find(result, change) == result.end()) result.push_back(change);
  }
  return result;
}

}  // namespace

Change to_change_comment(Span where, std::string_view text) {
  return {.kind = Change::Kind::comment, .where = where, .text = std::string(text)};
}

Change to_erase(const Node& node) { return {.kind = Change::Kind::erase, .node = &node}; }

Change to_set(const Node& node, const Node& value) {
  return {.kind = Change::Kind::set, .node = &node, .value = &value};
}

Change to_rename(const Node& node, std::string_view key) {
  return {.kind = Change::Kind::rename, .node = &node, .key = std::string(key)};
}

Change to_add_entry(const Node& mapping, std::string_view key, const Node& value) {
  return {
      .kind = Change::Kind::add_entry, .node = &mapping, .key = std::string(key), .value = &value};
}

Change to_add_item(const Node& sequence, const Node& value) {
  return {.kind = Change::Kind::add_item, .node = &sequence, .value = &value};
}

std::optional<Error> Changeable::obstacle_to(std::span<const Change> changes) const {
  for (const Change& change : changes) {
    if (change.kind == Change::Kind::comment) {
      if (holds_comment(document_, change.where)) continue;
      return Error{"there is no comment"};
    }
    const bool goes = change.kind == Change::Kind::erase || change.kind == Change::Kind::set;
    const bool renames = change.kind == Change::Kind::rename;
    const Node* node = renames ? change.node->parent : change.node;
    if (node == nullptr) return Error{"only an entry of a mapping has a key"};
    auto error = obstacle(document_, repetitions_, *node, goes ? Effect::away : Effect::more);
    if (error) return error;
  }
  return std::nullopt;
}

Result<std::vector<Edit>> edits_for(const SourceFile& file, const Document& document,
                                    std::span<const Change> changes) {
  std::vector<const Node*> erased;
  std::vector<Edit> edits;
  const std::vector<Change> all = distinct(changes);
  for (const Change& change : all) {
    if (change.kind == Change::Kind::erase) {
      erased.push_back(change.node);
      continue;
    }
    const auto found = edits_of(file, document, change);
    if (!found) return found;
    edits.insert(edits.end(), found->begin(), found->end());
  }
  const auto erasures = erase_all(file, document, erased);
  if (!erasures) return erasures;
  edits.insert(edits.end(), erasures->begin(), erasures->end());
  std::ranges::stable_sort(edits, {}, &Edit::where);

  Arena arena;
  const Node* meant = Meant(arena, all).root(*document.root);
  if (meant != nullptr && leads_to(edits, file, document, *meant)) return edits;
  return Error{"the changes cannot be made together"};
}

}  // namespace cnsched::yaml
