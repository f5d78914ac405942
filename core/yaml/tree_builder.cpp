#include "core/yaml/tree_builder.h"

#include <algorithm>
#include <deque>
#include <ranges>
#include <string>
#include <unordered_map>

#include "core/yaml/scalar.h"

namespace cnsched::yaml {

namespace {

/// The mappings in the value of a `<<`, the one with the lowest precedence first.
std::vector<const Node*> sources_of(const Node& value) {
  if (!value.is_sequence() || value.anchored() != nullptr) return {&value};
  return {value.items().rbegin(), value.items().rend()};
}

void append_merged(const Node& source, std::vector<Entry>& entries) {
  for (Entry entry : source.entries()) {
    if (entry.overridden) continue;
    entry.merged = true;
    entries.push_back(entry);
  }
}

Problem not_mergeable(const Node& source) {
  return {source.span, "'<<' can only merge a mapping",
          "give it an alias of a mapping, such as *defaults, or a list of such aliases"};
}

Problem too_many(const Node& source) {
  return {source.span, "'<<' merges too many entries",
          "write the entries directly, or merge smaller mappings"};
}

/// Whether `entry` is `<<: …`, which merges other mappings into its own.
bool is_merge_key(const Entry& entry) { return !entry.key->quoted && entry.key->text() == "<<"; }

/// Replaces each `<<` by the entries that it merges in, as kubectl does: in the order of the file,
/// so a `<<` below a key overrides it (in YAML the key would win); of a list, earlier mappings win.
/// Merged entries that are overridden are dropped. Each merged entry takes one off `budget`.
/// Returns a problem if the budget is used up or `<<` has a value that is not a mapping.
std::optional<Problem> expand_merge_keys(std::vector<Entry>& entries, std::size_t& budget) {
  std::vector<Entry> expanded;
  for (const Entry& entry : entries) {
    if (!is_merge_key(entry)) {
      expanded.push_back(entry);
      continue;
    }
    for (const Node* source : sources_of(*entry.value)) {
      if (!source->is_mapping()) return not_mergeable(*source);
      if (source->entries().size() > budget) return too_many(*source);
      budget -= source->entries().size();
      append_merged(*source, expanded);
    }
  }
  mark_overridden(expanded);
  std::erase_if(expanded, [](const Entry& entry) { return entry.merged && entry.overridden; });
  entries = std::move(expanded);
  return std::nullopt;
}

}  // namespace

void TreeBuilder::open(Node::Kind kind, std::size_t begin, bool flow) {
  Node* node = arena_.make<Node>();
  node->kind = kind;
  open_.push_back({.node = node,
                   .begin = begin,
                   .flow = flow,
                   .size = {.weight = 1, .height = 1},
                   .first = kind == Node::Kind::mapping ? entries_.size() : items_.size()});
}

TreeBuilder::Closed TreeBuilder::close(std::size_t end) {
  const Open closed = open_.back();
  open_.pop_back();
  closed.node->span = span(closed.begin, std::max(end, closed.begin));
  Closed result{.node = closed.node, .size = closed.size, .problem = std::nullopt};
  if (closed.node->is_mapping()) {
    const std::span<Entry> entries = std::span(entries_).subspan(closed.first);
    if (std::ranges::any_of(entries, is_merge_key)) {
      std::vector<Entry> expanded(entries.begin(), entries.end());
      result.problem = expand_merge_keys(expanded, merge_budget_);
      closed.node->set_entries(arena_.copy(std::span<const Entry>(expanded)));
    } else {
      mark_overridden(entries);
      closed.node->set_entries(arena_.copy(std::span<const Entry>(entries)));
    }
    entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(closed.first), entries_.end());
  } else {
    closed.node->set_items(arena_.copy(std::span<const Node* const>(items_).subspan(closed.first)));
    items_.resize(closed.first);
  }
  return result;
}

Node* TreeBuilder::make(Node::Kind kind, std::size_t begin, std::size_t end) {
  Node* node = arena_.make<Node>();
  node->kind = kind;
  node->span = span(begin, end);
  return node;
}

Node* TreeBuilder::scalar(std::size_t begin, std::size_t end, std::string_view text, bool quoted) {
  Node* node = make(Node::Kind::scalar, begin, end);
  node->quoted = quoted;
  if (quoted) {
    node->set_text(text);
  } else if (const auto type = resolve_plain(text)) {
    node->set_text(text);
    node->type = *type;
  } else {
    node->kind = Node::Kind::null;
  }
  return node;
}

void TreeBuilder::add(Node* node, TreeSize size) {
  if (open_.empty()) {
    document_.root = node;
    return;
  }
  Open& holder = open_.back();
  node->set_parent(*holder.node);
  holder.size.weight = std::min(holder.size.weight + size.weight, kMaxWeight);
  holder.size.height = std::max(holder.size.height, size.height + 1);
  if (holder.node->is_sequence()) {
    items_.push_back(node);
  } else if (holder.key == nullptr) {
    holder.key = node;
  } else {
    node->set_key(*holder.key);
    entries_.emplace_back(*holder.key, *node);
    holder.key = nullptr;
  }
}

void mark_overridden(std::span<Entry> entries) {
  constexpr std::size_t kFew = 12;  // up to this number pairwise comparison is faster than hashing
  if (entries.size() <= kFew) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      for (std::size_t j = i + 1; j < entries.size(); ++j) {
        if (is_same_key(*entries[i].key, *entries[j].key)) entries[i].overridden = true;
      }
    }
    return;
  }
  std::unordered_map<std::string_view, Entry*> last;
  std::deque<std::string> texts;
  for (Entry& entry : entries) {
    const Node& key = *entry.key;
    const auto [place, first] =
        last.emplace(key.is_string() ? key.text() : texts.emplace_back(key_text(key)), &entry);
    if (first) continue;
    place->second->overridden = true;
    place->second = &entry;
  }
}

}  // namespace cnsched::yaml
