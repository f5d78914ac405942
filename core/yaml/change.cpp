// Erasures are made together, for what loses everything is written anew; each other change gives
// its own edits; what moves is erased, and written once more. Whether all of them lead to the tree
// that is meant is seen by making them, in the best way of each; only if they do not, each change
// is seen to for itself.
#include "core/yaml/change.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "core/yaml/edited.h"
#include "core/yaml/intent.h"
#include "core/yaml/meant.h"
#include "core/yaml/move.h"
#include "core/yaml/tree.h"

namespace cnsched::yaml {

namespace {

/// The edits of what is done in its place. What goes, or moves, is seen to for all at once.
Result<std::vector<Edit>> edits_of(const Edited& edited, const Change& change) {
  switch (change.kind) {
    case Change::Kind::set:
      return set(edited, *change.node, *change.value);
    case Change::Kind::rename:
      return rename(edited, *change.node, change.key);
    case Change::Kind::add_entry:
      return add_entry(edited, *change.node, change.key, *change.value);
    case Change::Kind::comment:
      return std::vector<Edit>{{change.where, change.text}};
    case Change::Kind::add_item:
      return add_item(edited, *change.node, *change.value);
    case Change::Kind::erase:
    case Change::Kind::move:
      break;
  }
  return std::vector<Edit>();
}

/// Whether two of them give the same key to entries of one mapping.
bool repeat_a_key(const std::vector<Change>& changes) {
  std::set<std::pair<const Node*, std::string_view>> given;
  return std::ranges::any_of(changes, [&](const Change& change) {
    const bool renames = change.kind == Change::Kind::rename;
    if (!renames && change.kind != Change::Kind::add_entry) return false;
    return !given.insert({renames ? change.node->parent() : change.node, change.key}).second;
  });
}

/// Whether a comment, or a part of one, lies at `where`.
bool holds_comment(const Document& document, Span where) {
  const auto after = std::ranges::lower_bound(document.comments, where.end, {},
                                              [](const Comment& c) { return c.span.begin; });
  if (after == document.comments.begin()) return false;
  const Span comment = std::prev(after)->span;
  return comment.file == where.file && where.begin < comment.end;
}

/// Several entries that an empty mapping gets are one new value.
std::vector<Change> joined(Arena& arena, const std::vector<Change>& changes) {
  std::vector<Change> result;
  std::unordered_map<const Node*, std::size_t> first;
  for (const Change& change : changes) {
    if (change.kind != Change::Kind::add_entry || !change.node->is_empty()) {
      result.push_back(change);
      continue;
    }
    const auto [place, is_new] = first.try_emplace(change.node, result.size());
    if (is_new) result.push_back(to_set(*change.node, *change.node));
    const Node*& value = result[place->second].value;
    if ((*value)[change.key]) return changes;  // which is an error of its own
    value = &with(arena, *value, change.key, *change.value);
  }
  return result;
}

Error not_together() { return {"the changes cannot be made together"}; }

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

Change to_move(const Node& node, const Node& mapping, std::string_view pointer) {
  return {
      .kind = Change::Kind::move, .node = &node, .key = std::string(pointer), .value = &mapping};
}

bool has_room_for(const Node& node, const Node& mapping, std::string_view pointer) {
  // Each of many would look through all that is there.
  constexpr std::size_t kMostEntries = 1000;
  if (mapping.entries().size() > kMostEntries) return false;
  return has_room(mapping, keys_of(pointer), node);
}

std::optional<Error> Changeable::obstacle_to(std::span<const Change> changes) const {
  for (const Change& change : changes) {
    if (change.kind == Change::Kind::comment) {
      if (holds_comment(document_, change.where)) continue;
      return Error{"there is no comment"};
    }
    const bool moves = change.kind == Change::Kind::move;
    const bool goes = change.kind == Change::Kind::erase || change.kind == Change::Kind::set;
    const bool renames = change.kind == Change::Kind::rename;
    const Node* node = renames ? change.node->parent() : change.node;
    if (node == nullptr) return Error{"only an entry of a mapping has a key"};
    auto error = repetitions_.obstacle(*node, goes || moves ? Effect::away : Effect::more);
    if (!error && moves) error = repetitions_.obstacle(*change.value, Effect::more);
    if (error) return error;
  }
  return std::nullopt;
}

/// The edits of all that stays where it is.
static Result<std::vector<Edit>> edits_in_place(const Edited& edited,
                                                const std::vector<Change>& changes) {
  std::vector<Edit> edits;
  for (const Change& change : changes) {
    const auto found = edits_of(edited, change);
    if (!found) return found;
    edits.insert(edits.end(), found->begin(), found->end());
  }
  return edits;
}

static bool stays_in_parent(const Change& change) {
  return stays_in_parent(*change.node, *change.value, keys_of(change.key));
}

/// Of all that is erased or moves.
static Result<std::vector<Edit>> edits_that_erase(const Edited& edited,
                                                  const std::vector<Change>& changes) {
  std::vector<const Node*> nodes;
  for (const Change& change : changes) {
    const bool moves = change.kind == Change::Kind::move && !stays_in_parent(change);
    if (change.kind == Change::Kind::erase || moves) nodes.push_back(change.node);
  }
  return erase_all(edited, nodes);
}

/// Ways to write what moves where it goes to; one without edits if nothing moves.
static Ways ways_to_write_moved(const Edited& edited, const std::vector<Change>& changes) {
  std::vector<Ways> of_each;
  for (const Change& change : changes) {
    if (change.kind != Change::Kind::move) continue;
    const auto ways = stays_in_parent(change) ? ways_to_rewrite : ways_to_write_at;
    of_each.push_back(ways(edited, *change.value, keys_of(change.key), *change.node));
  }
  return together(of_each);
}

/// The edits of all changes, which lead to `meant`.
static Result<std::vector<Edit>> edits_of_all(const Edited& edited,
                                              const std::vector<Change>& changes,
                                              const Node& meant) {
  const auto in_place = edits_in_place(edited, changes);
  if (!in_place) return in_place;
  const auto erasures = edits_that_erase(edited, changes);
  if (!erasures) return erasures;
  for (std::vector<Edit> edits : ways_to_write_moved(edited, changes)) {
    edits.insert(edits.end(), in_place->begin(), in_place->end());
    edits.insert(edits.end(), erasures->begin(), erasures->end());
    std::ranges::stable_sort(edits, {}, &Edit::where);
    if (leads_to(edits, edited.file, edited.document, meant)) return edits;
  }
  return not_together();
}

Result<std::vector<Edit>> edits_for(const SourceFile& file, const Document& document,
                                    std::span<const Change> changes) {
  const std::vector<Change> asked = distinct(changes);
  if (repeat_a_key(asked)) return not_together();
  Arena arena;
  const std::vector<Change> all = joined(arena, asked);
  if (auto error = Changeable(document).obstacle_to(all)) return *std::move(error);
  const Node* meant = meant_by(all, document, arena);
  if (meant == nullptr) return not_together();
  auto edits = edits_of_all(Edited(file, document, Proof::caller), all, *meant);
  if (edits) return edits;
  // One of them needs another way than its best. To try them is dear.
  constexpr std::size_t kMostBytes = std::size_t{4} << 20U;
  const std::size_t size = document.span.end - document.span.begin;
  if (all.size() > 16 && all.size() * size > kMostBytes) return edits;
  return edits_of_all(Edited(file, document), all, *meant);
}

}  // namespace cnsched::yaml
