// What goes elsewhere is written there with its own bytes. Its lines keep their distances, so they
// mean the same further in or out; who chooses a way sees to it that they do. Where something
// stands already, only what is in the value goes there, and comments on the value itself go in
// front of that.
#include "core/yaml/move.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/yaml/append.h"
#include "core/yaml/compare.h"
#include "core/yaml/flow_text.h"
#include "core/yaml/tree.h"
#include "core/yaml/walk.h"

namespace cnsched::yaml {

namespace {

using Path = std::span<const std::string>;

bool has_item(const Node& list, const Node& item) {
  return std::ranges::any_of(list.items(), [&](const Node* i) { return same_value(*i, item); });
}

/// Nothing is there that what moves in would have to fit to.
bool is_free(const Node& existing, const Node& value) {
  return existing.is_missing() || existing.is_null() ||
         (existing.is_empty() && existing.kind == value.kind);
}

/// Whether the value can be compared with others in little time: aliases may make it huge.
bool is_small(const Node& value) {
  constexpr std::size_t kMostNodes = 1000;
  std::size_t count = 0;
  bool aliases = false;
  walk(value, [&](const Node& node) {
    aliases = aliases || node.anchored() != nullptr;
    return ++count <= kMostNodes && !aliases;
  });
  return count <= kMostNodes && !aliases;
}

/// Whether the two are the same, or can become one.
bool fits(const Node& existing, const Node& value) {
  if (is_free(existing, value)) return true;
  if (!is_small(existing) || !is_small(value)) return false;
  if (same_value(existing, value) || value.is_empty()) return true;
  if (existing.is_sequence() && value.is_sequence()) return true;
  return existing.is_mapping() && value.is_mapping() &&
         std::ranges::all_of(value.entries(), [&](const Entry& entry) {
           return fits(existing[entry.key->text()], *entry.value);
         });
}

/// What `existing` becomes with what `value` has beyond it; null if they do not fit.
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

/// The name that a step of a JSON Pointer stands for.
std::string unescaped(std::string_view step) {
  std::string name;
  for (std::size_t i = 0; i < step.size(); ++i) {
    const bool escape = step[i] == '~' && i + 1 < step.size();
    name += !escape ? step[i] : step[++i] == '1' ? '/' : '~';
  }
  return name;
}

/// Lines, each with its end, further in or out. Those that are not far enough in go as far as they
/// can: only comments, and texts that do not heed their indentation, stand so.
std::string shifted(std::string_view lines, std::size_t from, std::size_t to) {
  std::string result;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size() - 1) + 1;
    std::string_view line = lines.substr(0, end);
    lines.remove_prefix(end);
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    if (from > to) line.remove_prefix(std::min(indent, from - to));
    // A line of blanks may be a part of a text.
    if (to > from && line.find_first_not_of("\r\n") == 0) result.append(to - from, ' ');
    result += line;
  }
  return result;
}

/// One entry or item, and the collection that gets it.
struct Piece {
  const Node* target = nullptr;
  std::vector<std::string> parents{};  ///< new mappings between the two
  const Node* node = nullptr;
  std::vector<Comment> comments{};  ///< of what it was in, and what is there already
};

/// Finds out what has to be written, and where.
class Plan {
 public:
  explicit Plan(const Edited& edited) : edited_(edited), layout_(edited.layout) {}

  /// False if it cannot be done.
  bool place(const Node& value, const Node& mapping, Path path) {
    const Node* target = &mapping;
    for (std::size_t i = 0; i < path.size(); ++i) {
      const Node& next = (*target)[path[i]];
      if (next.anchored() != nullptr) return false;
      if (next.is_missing()) return add(value, *target, path.subspan(i, path.size() - 1 - i));
      target = &next;
    }
    return merge(value, *target);
  }

  /// Whether all comments have found a place.
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
      if (!same_value(existing[key], child)) return place(child, existing, {&key, 1});
    } else if (!has_item(existing, child)) {
      pieces.push_back({&existing, {}, &child, std::move(comments_)});
      comments_.clear();
      return true;
    }
    return !layout_.has_comment_within(range_of(child));
  }

  /// Of the value itself, not of what is in it.
  void keep_comments(const Node& value) {
    const Range all = range_of(value);
    for (const Comment& comment : edited_.document.comments) {
      const std::size_t at = layout_.begin(comment);
      if (at < all.begin || at >= all.end) continue;
      const bool inside = std::ranges::any_of(Layout::children(value), [&](const Node* child) {
        const Range range = range_of(*child);
        return at >= range.begin && at < range.end;
      });
      if (!inside) comments_.push_back(comment);
    }
  }

  Range range_of(const Node& node) const {
    if (!layout_.in_flow(*node.parent())) return layout_.lines_of(node, node);
    return {layout_.begin_of_entry(node), layout_.end(node)};
  }

  const Edited& edited_;
  const Layout& layout_;
  std::vector<Comment> comments_;  ///< that the next piece takes along
};

/// Writes pieces.
class Text {
 public:
  explicit Text(const Edited& edited) : edited_(edited), layout_(edited.layout) {}

  /// Whether no comment gets lost with the piece where it was.
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
      result += std::string(column, ' ') + std::string(edited_.file.text(comment.span)) +
                std::string(line_break);
    }
    return result + entry_lines(*piece.node, column);
  }

  /// Text to stand in brackets behind `last`; empty if that cannot be.
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
      const Range range = layout_.lines_of(node, node);
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
      const Range range = layout_.lines_of(node, node);
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

  const Edited& edited_;
  const Layout& layout_;
};

/// Below a key without a value, or with {} or [].
Ways ways_to_fill(const Edited& edited, const Node& empty, const std::string& lines) {
  const Layout& layout = edited.layout;
  const auto sign = layout.introducer(empty);
  if (!sign || empty.key() == nullptr) return {};
  const std::size_t end = std::max(*sign, layout.end(empty));
  std::vector<Edit> edits;
  if (!layout.is_empty(empty)) edits.push_back(replace(edited, {*sign, end}, ""));
  const std::size_t line = layout.next_line(end);
  const bool open_end = line == layout.text.size() && !layout.text.ends_with('\n');
  const std::string_view line_break = open_end ? layout.line_break() : "";
  edits.push_back(insert(edited, line, std::string(line_break) + lines));
  return {edits};
}

/// Ways to write all that one collection gets.
Ways ways_for(const Edited& edited, std::span<const Piece> pieces) {
  const Text text(edited);
  const Layout& layout = edited.layout;
  const Node& target = *pieces.front().target;
  const bool is_empty = Layout::children(target).empty() && !Layout::merges(target);
  if (layout.in_flow(target) && !(is_empty && !layout.in_flow(*target.parent()))) {
    if (is_empty || pieces.size() != 1) return {};
    const std::string entry = text.in_brackets(pieces.front());
    return entry.empty() ? Ways() : Ways{append_in_brackets(edited, target, entry)};
  }
  const Node::Kind kind =
      pieces.front().node->key() != nullptr ? Node::Kind::mapping : Node::Kind::sequence;
  std::size_t column = is_empty ? layout.usual_indent(kind) : layout.column(layout.begin(target));
  if (is_empty && target.parent() != nullptr)
    column += layout.column(layout.begin(*target.parent()));
  std::string lines;
  for (const Piece& piece : pieces) lines += text.lines(piece, column);
  if (is_empty) return ways_to_fill(edited, target, lines);
  Ways ways = ways_to_append(edited, target, lines);
  const Node& last = *pieces.back().node;
  const bool ends_file = !layout.in_flow(*last.parent()) && !layout.text.ends_with('\n') &&
                         layout.lines_of(last, last).end == layout.text.size();
  if (ends_file) {
    // It leaves the end of the line above to itself.
    lines.resize(lines.size() - layout.line_break().size());
    ways.insert(ways.begin(), {insert(edited, layout.text.size(), lines)});
  }
  return ways;
}

/// Out by a level, or into a new mapping.
Ways rewritten_in_brackets(const Edited& edited, const std::vector<Piece>& pieces,
                           const Node& node) {
  const Layout& layout = edited.layout;
  const Range entry{layout.begin_of_entry(node), layout.end(node)};
  if (pieces.front().node == &node) {
    return {{replace(edited, entry, Text(edited).in_brackets(pieces.front()))}};
  }
  if (!layout.has_brackets(node)) return {};
  const Range inside{layout.begin(node) + 1, layout.end(node) - 1};
  return {{replace(edited, entry,
                   std::string(layout.text.substr(inside.begin, inside.end - inside.begin)))}};
}

}  // namespace

bool stays_in_parent(const Node& node, const Node& mapping, Path path) {
  const Node* at = &mapping;
  for (const std::string& key : path) {
    const Node& next = (*at)[key];
    if (next.is_missing()) break;
    at = &next;
  }
  return at == node.parent() && Layout::children(*at).size() == 1 && !Layout::merges(*at);
}

Ways ways_to_rewrite(const Edited& edited, const Node& mapping, Path path, const Node& node) {
  const Layout& layout = edited.layout;
  const Text text(edited);
  Plan plan(edited);
  if (!plan.place(node, mapping, path) || !plan.complete() || plan.pieces.empty()) return {};
  if (layout.in_flow(*node.parent())) return rewritten_in_brackets(edited, plan.pieces, node);
  const std::size_t begin = layout.begin_of_entry(node);
  const std::size_t column = layout.column(begin);
  std::string lines;
  for (const Piece& piece : plan.pieces) lines += text.lines(piece, column);
  return {{replace(edited, layout.lines_of(node, node),
                   layout.begins_line(begin) ? lines : lines.substr(column))}};
}

std::vector<std::string> keys_of(std::string_view pointer) {
  std::vector<std::string> keys;
  if (pointer.empty()) return keys;
  for (const std::string_view step : split(pointer.substr(1), '/')) {
    keys.push_back(unescaped(step));
  }
  return keys;
}

bool has_room(const Node& mapping, Path path, const Node& value) {
  const Node* at = &mapping;
  for (const std::string& key : path) {
    if (at->is_scalar() || at->is_sequence()) return false;
    at = &(*at)[key];
  }
  return fits(*at, value);
}

const Node* with_moved(Arena& arena, const Node& mapping, Path path, const Node& value) {
  if (path.empty()) return merged(arena, mapping, value);
  if (mapping.is_scalar() || mapping.is_sequence()) return nullptr;
  const Node* inner = with_moved(arena, mapping[path.front()], path.subspan(1), value);
  return inner == nullptr ? nullptr : &with(arena, mapping, path.front(), *inner);
}

Ways ways_to_write_at(const Edited& edited, const Node& mapping, Path path, const Node& node) {
  Plan plan(edited);
  if (!plan.place(node, mapping, path) || !plan.complete()) return {};
  const Text text(edited);
  if (!std::ranges::all_of(plan.pieces, [&](const Piece& p) { return text.keeps_comments(p); })) {
    return {};
  }
  std::vector<Ways> of_each;
  std::span<const Piece> rest(plan.pieces);
  while (!rest.empty()) {
    const auto other = std::ranges::find_if(
        rest, [&](const Piece& piece) { return piece.target != rest.front().target; });
    const auto count = static_cast<std::size_t>(other - rest.begin());
    of_each.push_back(ways_for(edited, rest.first(count)));
    rest = rest.subspan(count);
  }
  return together(of_each);
}

}  // namespace cnsched::yaml
