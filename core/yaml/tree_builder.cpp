#include "core/yaml/tree_builder.h"

#include <algorithm>

#include "core/yaml/merge_keys.h"
#include "core/yaml/scalar.h"

namespace cnsched::yaml {

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
    entries_.resize(closed.first);
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
    entries_.push_back({.key = holder.key, .value = node, .digest = digest_of(holder.key->text())});
    holder.key = nullptr;
  }
}

}  // namespace cnsched::yaml
