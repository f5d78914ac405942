// Each change gives candidates for its edits, the preferred one first; neighbours that are erased
// share their candidates, since a collection that loses everything becomes {} or []. A move erases
// the entry and writes it once more. The preferred candidates of all changes are made together and
// the result is compared with the expected tree. Only if that fails, each change is tried by itself
// and keeps its first candidate that works.
#include "core/yaml/change.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/base/arena.h"
#include "core/base/text.h"
#include "core/source/span.h"
#include "core/yaml/candidates.h"
#include "core/yaml/edit_obstacles.h"
#include "core/yaml/parse.h"
#include "core/yaml/scalar.h"
#include "core/yaml/tree.h"
#include "core/yaml/tree_builder.h"

namespace cnsched::yaml {

namespace {

using Kind = Change::Kind;

/// Whether two changes give the same key to entries of one mapping.
bool repeat_a_key(const std::vector<Change>& changes) {
  std::set<std::pair<const Node*, std::string_view>> given;
  return std::ranges::any_of(changes, [&](const Change& change) {
    const bool renames = change.kind == Kind::rename;
    if (!renames && change.kind != Kind::add_entry) return false;
    return !given.insert({renames ? change.node->parent() : change.node, change.key}).second;
  });
}

/// Without repetitions, and without erasures of what is in another erased node.
std::vector<Change> distinct(std::span<const Change> changes) {
  std::set<const Node*> erased;
  for (const Change& change : changes) {
    if (change.kind == Kind::erase) erased.insert(change.node);
  }
  const auto is_in_erased = [&](const Node& node) {
    const Node* at = node.parent();
    while (at != nullptr && !erased.contains(at)) at = at->parent();
    return at != nullptr;
  };
  std::vector<Change> result;
  for (const Change& change : changes) {
    if (change.kind == Kind::erase && is_in_erased(*change.node)) continue;
    if (std::ranges::find(result, change) == result.end()) result.push_back(change);
  }
  return result;
}

/// Whether the change fills a mapping or list that is empty or null.
bool fills_empty(const Change& change) {
  const Node& node = *change.node;
  if (change.kind == Kind::add_entry) return node.is_empty() && !node.is_sequence();
  return change.kind == Kind::add_item && node.is_empty() && !node.is_mapping();
}

/// Replaces the additions to an empty collection by one new value.
std::vector<Change> joined(Arena& arena, const std::vector<Change>& changes) {
  std::vector<Change> result;
  std::map<std::pair<const Node*, Kind>, std::size_t> first;
  for (const Change& change : changes) {
    if (change.kind == Kind::comment || !fills_empty(change)) {
      result.push_back(change);
      continue;
    }
    const auto [place, is_new] = first.try_emplace({change.node, change.kind}, result.size());
    if (is_new) result.push_back(to_set(*change.node, *change.node));
    const Node*& value = result[place->second].value;
    value = change.kind == Kind::add_entry ? &with(arena, *value, change.key, *change.value)
                                           : &with_item(arena, *value, *change.value);
  }
  return result;
}

/// Why a single change is impossible, whatever the text looks like.
std::optional<Error> misuse_of(const Change& change) {
  const bool adds_entry = change.kind == Kind::add_entry;
  if (adds_entry || change.kind == Kind::add_item) {
    const Node& node = *change.node;
    const bool fits = adds_entry ? node.is_mapping() : node.is_sequence();
    if (!fits) return Error{adds_entry ? "only a mapping has entries" : "only a list has items"};
    if (node.anchored() != nullptr) return Error{"an alias cannot be added to"};
    if (adds_entry && node.under(change.key)) {
      return Error{fmt::format("the mapping has an entry '{}'", change.key)};
    }
  }
  if (change.kind == Kind::erase && change.node->parent() == nullptr) {
    return Error{"the root of a document cannot be removed"};
  }
  if (change.kind == Kind::rename) {
    if (change.node->key() == nullptr) return Error{"only an entry of a mapping has a key"};
    const Node& taken = (*change.node->parent()).under(change.key);
    if (taken && &taken != change.node) {
      return Error{fmt::format("the mapping has an entry '{}'", change.key)};
    }
  }
  return std::nullopt;
}

std::optional<Error> obstacle_to(const std::vector<Change>& changes, const Document& document) {
  if (auto error = EditObstacles(document).find(changes)) return error;
  for (const Change& change : changes) {
    if (auto error = misuse_of(change)) return error;
  }
  return std::nullopt;
}

/// Candidates for a change that stays in its place.
Candidates candidates_for(const Layout& layout, const Change& change) {
  Arena arena;
  switch (change.kind) {
    case Kind::set:
      return set_candidates(layout, *change.node, *change.value);
    case Kind::rename:
      return rename_candidates(layout, *change.node, change.key);
    case Kind::add_entry: {
      const Entry entry = entry_of(arena, change.key, *change.value);
      return add_candidates(layout, *change.node, mapping_like(arena, *change.node, {entry}),
                            change.replaced);
    }
    case Kind::add_item:
      return add_candidates(layout, *change.node,
                            sequence_like(arena, *change.node, {change.value}));
    case Kind::comment:
      return {{{change.where, change.text}}};
    case Kind::erase:
    case Kind::move:
      break;
  }
  return {};
}

bool stays_in_parent(const Change& change) {
  return stays_in_parent(*change.node, *change.value, keys_of(change.key));
}

std::vector<JointChanges> steps_for(const Layout& layout, const std::vector<Change>& changes) {
  std::vector<JointChanges> steps;
  std::vector<const Node*> erased;
  for (const Change& change : changes) {
    if (change.kind == Kind::erase) {
      erased.push_back(change.node);
    } else if (change.kind != Kind::move) {
      steps.push_back({{change}, candidates_for(layout, change)});
    } else if (!stays_in_parent(change)) {
      erased.push_back(change.node);
    }
  }
  std::ranges::move(erase_steps(layout, erased), std::back_inserter(steps));
  return steps;
}

/// Candidates that write all moved entries in their new places; one without edits if there are
/// none.
Candidates candidates_for_moves(const Layout& layout, const std::vector<Change>& changes) {
  std::vector<Candidates> of_each;
  for (const Change& change : changes) {
    if (change.kind != Kind::move) continue;
    const auto candidates = stays_in_parent(change) ? rewrite_candidates : move_candidates;
    of_each.push_back(candidates(layout, *change.value, keys_of(change.key), *change.node));
  }
  return combined(of_each);
}

class ExpectedTree {
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
      entries.emplace_back(*renamed_key(entry), *other, entry.merged);
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

/// The tree after all of the changes; it shares nodes with the document. Null if they contradict
/// each other: one changes a node that another removes.
const Node* expected_tree(std::span<const Change> changes, const Document& document, Arena& arena) {
  return ExpectedTree(arena, changes).root(*document.root);
}

/// Whether the document's text with the edits parses to the expected tree.
bool leads_to(const std::vector<Edit>& edits, const SourceFile& file, const Document& document,
              const Node& expected) {
  const auto text = edited_text(edits, file, document);
  if (!text) return false;
  const Embedded result(*text);
  return !result.root().is_missing() && same_value(result.root(), expected) &&
         count_overridden(result.root()) <= count_overridden(*document.root);
}

using Counts = std::map<std::string_view, std::size_t>;

/// Counts what may be comments in the lines of `text`: from the first '#' and from the last one.
void count_comments(std::string_view text, Counts& counts) {
  for (std::string_view line : split(text, '\n')) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::size_t first = line.find('#');
    if (first == std::string_view::npos) continue;
    const std::size_t last = line.rfind('#');
    ++counts[line.substr(first)];
    if (last != first) ++counts[line.substr(last)];
  }
}

/// `edits`, which are sorted, with each comment that they remove and nowhere repeat as a line of
/// its own above the edit, at the indentation of its first line. Except the comments in `removed`.
std::vector<Edit> with_lost_comments(const Layout& layout, std::vector<Edit> edits,
                                     const std::vector<Span>& removed) {
  Counts repeated;
  for (const Edit& edit : edits) count_comments(edit.text, repeated);
  const std::uint32_t base = layout.span({0, 0}).begin;
  std::vector<Edit> result;
  auto comment = layout.comments().begin();
  const auto end = layout.comments().end();
  for (Edit& edit : edits) {
    while (comment != end && comment->span.begin < edit.where.begin) ++comment;
    const std::size_t begin = edit.where.begin - base;
    const std::size_t line = layout.line_begin(begin);
    std::string lines;
    for (; comment != end && comment->span.begin < edit.where.end; ++comment) {
      const std::string_view text = layout.text_of(*comment);
      const auto known = repeated.find(text);
      const bool is_repeated = known != repeated.end() && known->second > 0;
      if (is_repeated) --known->second;
      const bool is_removed =
          std::ranges::any_of(removed, [&](Span span) { return contains(span, comment->span); });
      if (is_repeated || is_removed) continue;
      lines += layout.text.substr(line, layout.skip_spaces(line) - line);
      lines += text;
      lines += layout.line_break();
    }
    // An edit before it may remove the beginning of the line.
    const bool is_line_edited =
        line == begin || (!result.empty() && result.back().where.end > base + line);
    if (!lines.empty() && is_line_edited) {
      (line == begin ? edit : result.back()).text.insert(0, lines);
    } else if (!lines.empty()) {
      result.push_back(insert(layout, line, lines));
    }
    result.push_back(std::move(edit));
  }
  return result;
}

/// Makes changes of a document.
class Editor {
 public:
  Editor(const SourceFile& file, const Document& document, const std::vector<Change>& changes,
         const Node& expected, Comments comments)
      : file_(file),
        document_(document),
        expected_(expected),
        layout_(file, document),
        comments_(comments) {
    steps_ = steps_for(layout_, changes);
    moves_ = candidates_for_moves(layout_, changes);
    for (const Change& change : changes) {
      if (change.kind == Kind::comment) changed_comments_.push_back(change.where);
    }
  }

  /// The edits that make all changes with the preferred candidate of each step.
  std::optional<std::vector<Edit>> edits() const {
    for (std::vector<Edit> edits : moves_) {
      for (const JointChanges& step : steps_) {
        if (step.candidates.empty()) return std::nullopt;
        const std::vector<Edit>& own = step.candidates.front();
        edits.insert(edits.end(), own.begin(), own.end());
      }
      std::ranges::stable_sort(edits, {}, &Edit::where);
      edits = with_comments(std::move(edits));
      if (leads_to(edits, file_, document_, expected_)) return edits;
    }
    return std::nullopt;
  }

  /// Reduces each step to its first candidate that works by itself. Fails if a step has none.
  std::optional<Error> choose_candidates() {
    for (JointChanges& step : steps_) {
      Arena arena;
      const Node* expected = expected_tree(step.changes, document_, arena);
      const auto works = [&](const std::vector<Edit>& edits) {
        return expected != nullptr && leads_to(with_comments(edits), file_, document_, *expected);
      };
      const auto found = std::ranges::find_if(step.candidates, works);
      if (found == step.candidates.end()) return unusual(step.changes.front());
      step.candidates = {*found};
    }
    return std::nullopt;
  }

 private:
  std::vector<Edit> with_comments(std::vector<Edit> edits) const {
    if (comments_ == Comments::go) return edits;
    return with_lost_comments(layout_, std::move(edits), changed_comments_);
  }

  Error unusual(const Change& change) const {
    if (change.kind == Kind::comment) return {"the edit of the comment would change a value"};
    return {
        fmt::format("cnsched cannot edit {} as it is written", name_in(document_, *change.node))};
  }

  const SourceFile& file_;
  const Document& document_;
  const Node& expected_;
  Layout layout_;
  Comments comments_;
  std::vector<Span> changed_comments_;
  std::vector<JointChanges> steps_;
  Candidates moves_;
};

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

Change to_add_entry(const Node& mapping, std::string_view key, const Node& value,
                    const Node* replaced) {
  return {.kind = Change::Kind::add_entry,
          .node = &mapping,
          .key = std::string(key),
          .value = &value,
          .replaced = replaced};
}

Change to_add_item(const Node& sequence, const Node& value) {
  return {.kind = Change::Kind::add_item, .node = &sequence, .value = &value};
}

Change to_move(const Node& node, const Node& mapping, std::string_view pointer) {
  return {
      .kind = Change::Kind::move, .node = &node, .key = std::string(pointer), .value = &mapping};
}

bool has_room_for(const Node& node, const Node& mapping, std::string_view pointer) {
  // Each of many entries would be compared with all that exist.
  constexpr std::size_t kMaxEntries = 1000;
  if (mapping.entries().size() > kMaxEntries) return false;
  return has_room(mapping, keys_of(pointer), node);
}

Result<std::vector<Edit>> edits_for(const SourceFile& file, const Document& document,
                                    std::span<const Change> changes, Comments comments) {
  const Error contradiction{"the changes cannot be made together"};
  const std::vector<Change> requested = distinct(changes);
  if (requested.empty()) return std::vector<Edit>();
  if (repeat_a_key(requested)) return contradiction;
  Arena arena;
  const std::vector<Change> all = joined(arena, requested);
  if (auto error = obstacle_to(all, document)) return *std::move(error);
  const Node* expected = expected_tree(all, document, arena);
  if (expected == nullptr) return contradiction;
  Editor editor(file, document, all, *expected, comments);
  if (auto edits = editor.edits()) return *std::move(edits);
  // To try each change by itself parses the document once for each candidate.
  constexpr std::size_t kMaxBytes = std::size_t{4} << 20U;
  const std::size_t size = document.span.end - document.span.begin;
  if (all.size() > 16 && all.size() * size > kMaxBytes) return contradiction;
  if (auto error = editor.choose_candidates()) return *std::move(error);
  if (auto edits = editor.edits()) return *std::move(edits);
  return contradiction;
}

}  // namespace cnsched::yaml
