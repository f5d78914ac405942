// A moved entry keeps its bytes; its lines are indented by the same amount, so they usually mean
// the same (the caller verifies it). If the target exists, only the missing children move, preceded
// by the comments on the value itself.
#include "core/yaml/candidates.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/yaml/scalar.h"
#include "core/yaml/tree.h"

namespace cnsched::yaml {

namespace {

using Path = std::span<const std::string>;

bool has_item(const Node& list, const Node& item) {
  return std::ranges::any_of(list.items(), [&](const Node* i) { return same_value(*i, item); });
}

/// Whether `existing` can be replaced by `value`.
bool is_free(const Node& existing, const Node& value) {
  return existing.is_missing() || existing.is_null() ||
         (existing.is_empty() && existing.kind == value.kind);
}

/// Whether comparing the value is cheap: aliases may make it huge.
bool is_small(const Node& value) {
  constexpr std::size_t kMaxNodes = 1000;
  std::size_t count = 0;
  bool aliases = false;
  walk(value, [&](const Node& node) {
    aliases = aliases || node.anchored() != nullptr;
    return ++count <= kMaxNodes && !aliases;
  });
  return count <= kMaxNodes && !aliases;
}

/// Whether the two are equal or can be merged.
bool fits(const Node& existing, const Node& value) {
  if (is_free(existing, value)) return true;
  if (!is_small(existing) || !is_small(value)) return false;
  if (same_value(existing, value) || value.is_empty()) return true;
  if (existing.is_sequence() && value.is_sequence()) return true;
  return existing.is_mapping() && value.is_mapping() &&
         std::ranges::all_of(value.entries(), [&](const Entry& entry) {
           return fits(existing.under(entry.key->text()), *entry.value);
         });
}

/// `existing` with the children that only `value` has; null if they cannot be merged.
const Node* merged(Arena& arena, const Node& existing, const Node& value) {
  if (!fits(existing, value)) return nullptr;
  if (is_free(existing, value)) return &value;
  if (same_value(existing, value) || value.is_empty()) return &existing;
  if (existing.is_sequence()) {
    std::vector<const Node*> items(existing.items().begin(), existing.items().end());
    for (const Node* item : value.items()) {
      if (!has_item(existing, *item)) items.push_back(item);
    }
    return &sequence_like(arena, existing, items);
  }
  const Node* result = &existing;
  for (const Entry& entry : entries_of(value)) {
    const std::string key(entry.key->text());
    result = with_moved(arena, *result, {&key, 1}, *entry.value);
    if (result == nullptr) return nullptr;
  }
  return result;
}

/// Lines with their line breaks, indented by `to - from` more or less. Lines with too little
/// indentation, which only comments and some texts have, lose all of it.
std::string shifted(std::string_view lines, std::size_t from, std::size_t to) {
  std::string result;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size() - 1) + 1;
    std::string_view line = lines.substr(0, end);
    lines.remove_prefix(end);
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    if (from > to) line.remove_prefix(std::min(indent, from - to));
    // A line of blanks may be part of a text.
    if (to > from && line.find_first_not_of("\r\n") == 0) result.append(to - from, ' ');
    result += line;
  }
  return result;
}

/// One entry or item and its target collection.
struct Piece {
  const Node* target = nullptr;
  std::vector<std::string> parents{};  ///< new mappings between the two
  const Node* node = nullptr;
  std::vector<Comment> comments{};  ///< on a parent that is not moved itself
};

/// Determines the pieces to write and their targets.
class Plan {
 public:
  explicit Plan(const Layout& layout) : layout_(layout) {}

  /// False if it is impossible.
  bool place(const Node& value, const Node& mapping, Path path) {
    const Node* target = &mapping;
    for (std::size_t i = 0; i < path.size(); ++i) {
      const Node& next = target->under(path[i]);
      if (next.anchored() != nullptr) return false;
      if (next.is_missing()) return add(value, *target, path.subspan(i, path.size() - 1 - i));
      target = &next;
    }
    return merge(value, *target);
  }

  /// Whether every comment belongs to a piece.
  bool complete() const { return comments_.empty(); }

  std::vector<Piece> pieces;

 private:
  bool add(const Node& value, const Node& target, Path parents) {
    if (!target.is_mapping() && !target.is_null()) return false;
    pieces.push_back({&target, {parents.begin(), parents.end()}, &value, std::move(comments_)});
    comments_.clear();
    return true;
  }

  bool merge(const Node& value, const Node& existing) {
    if (same_value(value, existing)) return !layout_.has_comment_within(range_of(value));
    if (value.anchored() != nullptr || value.is_scalar() || Layout::merges(value)) return false;
    keep_comments(value);
    for (const Node* child : Layout::children(value)) {
      if (!merge_child(*child, existing)) return false;
    }
    return true;
  }

  bool merge_child(const Node& child, const Node& existing) {
    if (child.key() != nullptr) {
      const std::string key(child.key()->text());
      if (!same_value(existing.under(key), child)) return place(child, existing, {&key, 1});
    } else if (!has_item(existing, child)) {
      pieces.push_back({&existing, {}, &child, std::move(comments_)});
      comments_.clear();
      return true;
    }
    return !layout_.has_comment_within(range_of(child));
  }

  /// Keeps the comments on the value itself, not those on its children.
  void keep_comments(const Node& value) {
    const TextRange all = range_of(value);
    for (const Comment& comment : layout_.comments()) {
      const std::size_t at = layout_.begin(comment);
      if (at < all.begin || at >= all.end) continue;
      const bool inside = std::ranges::any_of(Layout::children(value), [&](const Node* child) {
        const TextRange range = range_of(*child);
        return at >= range.begin && at < range.end;
      });
      if (!inside) comments_.push_back(comment);
    }
  }

  TextRange range_of(const Node& node) const {
    if (!layout_.in_flow(*node.parent())) return layout_.lines_of(node, node);
    return {layout_.begin_of_entry(node), layout_.end(node)};
  }

  const Layout& layout_;
  std::vector<Comment> comments_;  ///< to write with the next piece
};

/// Formats pieces.
class Text {
 public:
  explicit Text(const Layout& layout) : layout_(layout) {}

  /// Whether removing the piece from its old place loses no comment.
  bool keeps_comments(const Piece& piece) const {
    const Node& node = *piece.node;
    if (!layout_.in_flow(*node.parent())) return true;
    const std::size_t begin = layout_.begin_of_entry(node);
    if (!layout_.begins_line(begin)) return true;
    const std::size_t end = layout_.comma(node).value_or(layout_.end(node));
    return !layout_.has_comment_within({layout_.end(node), layout_.line_end(end)}) &&
           layout_.begin_of_comments_above(begin) == layout_.line_begin(begin);
  }

  /// Lines in block style.
  std::string lines(const Piece& piece, std::size_t column) const {
    std::string result;
    const std::string_view line_break = layout_.line_break();
    const std::size_t step = layout_.usual_indent(Node::Kind::mapping);
    for (const std::string& parent : piece.parents) {
      result += std::string(column, ' ') + parent + ':' + std::string(line_break);
      column += step == 0 ? kIndent : step;
    }
    for (const Comment& comment : piece.comments) {
      result += std::string(column, ' ') + std::string(layout_.text_of(comment)) +
                std::string(line_break);
    }
    return result + entry_lines(*piece.node, column);
  }

  /// The text in flow style after the last child of the target; empty if impossible.
  std::string in_brackets(const Piece& piece) const {
    if (!piece.comments.empty()) return {};
    const Node& target = *piece.target;
    std::string text = entry_text(*piece.node, target);
    for (auto at = piece.parents.rbegin(); !text.empty() && at != piece.parents.rend(); ++at) {
      text = flow_key(layout_, target, *at) + ": {" + text + "}";
    }
    return text;
  }

 private:
  std::string entry_lines(const Node& node, std::size_t column) const {
    std::string text;
    std::size_t from = 0;
    if (layout_.in_flow(*node.parent())) {
      const std::size_t begin = layout_.begin_of_entry(node);
      from = layout_.skip_spaces(layout_.line_begin(begin)) - layout_.line_begin(begin);
      text = std::string(from, ' ') + (node.key() == nullptr ? "- " : "") +
             std::string(layout_.text.substr(begin, layout_.end(node) - begin));
    } else {
      const TextRange range = layout_.lines_of(node, node);
      const std::size_t begin = layout_.begin_of_entry(node);
      from = layout_.column(begin);
      const bool mid_line = range.begin == begin;
      text = std::string(mid_line ? from : 0, ' ') +
             std::string(layout_.text.substr(range.begin, range.end - range.begin));
    }
    if (!text.ends_with('\n')) text += layout_.line_break();
    return shifted(text, from, column);
  }

  std::string entry_text(const Node& node, const Node& target) const {
    if (!layout_.in_flow(*node.parent())) {
      const TextRange range = layout_.lines_of(node, node);
      if (layout_.has_comment_within(range)) return {};
      const Node& last = *Layout::children(target).back();
      const std::string value = flow_text(layout_, last, node);
      return node.key() == nullptr ? value
                                   : flow_key(layout_, target, node.key()->text()) + ": " + value;
    }
    const std::size_t begin = layout_.begin_of_entry(node);
    const std::string text(layout_.text.substr(begin, layout_.end(node) - begin));
    const std::size_t there = layout_.begin_of_entry(*Layout::children(target).back());
    if (!layout_.begins_line(begin) || !layout_.begins_line(there)) return text;
    const std::size_t from = layout_.column(begin);
    const std::string lines = shifted(std::string(from, ' ') + text, from, layout_.column(there));
    return lines.substr(layout_.column(there));
  }

  const Layout& layout_;
};

/// Writes below a key without a value, or with {} or [].
Candidates fill_candidates(const Layout& layout, const Node& empty, const std::string& lines) {
  const auto sign = layout.introducer(empty);
  if (!sign || empty.key() == nullptr) return {};
  const std::size_t end = std::max(*sign, layout.end(empty));
  std::vector<Edit> edits;
  if (!layout.is_empty(empty)) edits.push_back(replace(layout, {*sign, end}, ""));
  const std::size_t line = layout.next_line(end);
  const bool open_end = line == layout.text.size() && !layout.text.ends_with('\n');
  const std::string_view line_break = open_end ? layout.line_break() : "";
  edits.push_back(insert(layout, line, std::string(line_break) + lines));
  return {edits};
}

/// Candidates that write all pieces of one target.
Candidates candidates_for(const Layout& layout, std::span<const Piece> pieces) {
  const Text text(layout);
  const Node& target = *pieces.front().target;
  const bool is_empty = Layout::children(target).empty() && !Layout::merges(target);
  if (layout.in_flow(target) && !(is_empty && !layout.in_flow(*target.parent()))) {
    if (is_empty || pieces.size() != 1) return {};
    const std::string entry = text.in_brackets(pieces.front());
    return entry.empty() ? Candidates() : Candidates{append_in_flow(layout, target, entry)};
  }
  const Node::Kind kind =
      pieces.front().node->key() != nullptr ? Node::Kind::mapping : Node::Kind::sequence;
  std::size_t column = is_empty ? layout.usual_indent(kind) : layout.column(layout.begin(target));
  if (is_empty && target.parent() != nullptr)
    column += layout.column(layout.begin(*target.parent()));
  std::string lines;
  for (const Piece& piece : pieces) lines += text.lines(piece, column);
  if (is_empty) return fill_candidates(layout, target, lines);
  Candidates candidates = append_candidates(layout, target, lines);
  const Node& last = *pieces.back().node;
  const bool ends_file = !layout.in_flow(*last.parent()) && !layout.text.ends_with('\n') &&
                         layout.lines_of(last, last).end == layout.text.size();
  if (ends_file) {
    // Does not end the line above, which has no line break.
    lines.resize(lines.size() - layout.line_break().size());
    candidates.insert(candidates.begin(), {insert(layout, layout.text.size(), lines)});
  }
  return candidates;
}

/// Rewrites an entry in flow style a level further out, or into a new mapping.
Candidates rewrite_in_flow(const Layout& layout, const std::vector<Piece>& pieces,
                           const Node& node) {
  const TextRange entry{layout.begin_of_entry(node), layout.end(node)};
  if (pieces.front().node == &node) {
    return {{replace(layout, entry, Text(layout).in_brackets(pieces.front()))}};
  }
  if (!layout.has_brackets(node)) return {};
  const TextRange inside{layout.begin(node) + 1, layout.end(node) - 1};
  return {{replace(layout, entry,
                   std::string(layout.text.substr(inside.begin, inside.end - inside.begin)))}};
}

}  // namespace

bool stays_in_parent(const Node& node, const Node& mapping, Path path) {
  const Node* at = &mapping;
  for (const std::string& key : path) {
    const Node& next = at->under(key);
    if (next.is_missing()) break;
    at = &next;
  }
  return at == node.parent() && Layout::children(*at).size() == 1 && !Layout::merges(*at);
}

Candidates rewrite_candidates(const Layout& layout, const Node& mapping, Path path,
                              const Node& node) {
  const Text text(layout);
  Plan plan(layout);
  if (!plan.place(node, mapping, path) || !plan.complete() || plan.pieces.empty()) return {};
  if (layout.in_flow(*node.parent())) return rewrite_in_flow(layout, plan.pieces, node);
  const std::size_t begin = layout.begin_of_entry(node);
  const std::size_t column = layout.column(begin);
  std::string lines;
  for (const Piece& piece : plan.pieces) lines += text.lines(piece, column);
  return {{replace(layout, layout.lines_of(node, node),
                   layout.begins_line(begin) ? lines : lines.substr(column))}};
}

std::vector<std::string> keys_of(std::string_view pointer) {
  std::vector<std::string> keys;
  if (pointer.empty()) return keys;
  for (const std::string_view step : split(pointer.substr(1), '/')) {
    keys.push_back(name_of_step(step));
  }
  return keys;
}

bool has_room(const Node& mapping, Path path, const Node& value) {
  const Node* at = &mapping;
  for (const std::string& key : path) {
    if (at->is_scalar() || at->is_sequence()) return false;
    at = &at->under(key);
  }
  return fits(*at, value);
}

const Node* with_moved(Arena& arena, const Node& mapping, Path path, const Node& value) {
  if (path.empty()) return merged(arena, mapping, value);
  if (mapping.is_scalar() || mapping.is_sequence()) return nullptr;
  const Node* inner = with_moved(arena, mapping.under(path.front()), path.subspan(1), value);
  return inner == nullptr ? nullptr : &with(arena, mapping, path.front(), *inner);
}

Candidates move_candidates(const Layout& layout, const Node& mapping, Path path, const Node& node) {
  Plan plan(layout);
  if (!plan.place(node, mapping, path) || !plan.complete()) return {};
  const Text text(layout);
  if (!std::ranges::all_of(plan.pieces, [&](const Piece& p) { return text.keeps_comments(p); })) {
    return {};
  }
  std::vector<Candidates> of_each;
  std::span<const Piece> rest(plan.pieces);
  while (!rest.empty()) {
    const auto other = std::ranges::find_if(
        rest, [&](const Piece& piece) { return piece.target != rest.front().target; });
    const auto count = static_cast<std::size_t>(other - rest.begin());
    of_each.push_back(candidates_for(layout, rest.first(count)));
    rest = rest.subspan(count);
  }
  return combined(of_each);
}

}  // namespace cnsched::yaml
