// The new value has a head in the place of the old value and, in block style, perhaps lines below.
// A text (|) has both; a mapping or a list has only lines, which are below a key or begin after a
// dash.
#include <algorithm>

#include "core/base/text.h"
#include "core/yaml/candidates.h"
#include "core/yaml/scalar.h"
#include "core/yaml/write.h"

namespace cnsched::yaml {

namespace {

constexpr const char* kBeforeComment = "  ";

/// A scalar in the place of another, in quotes if the old one has quotes without need.
std::string scalar_like(const Layout& layout, const Node& old, const Node& value) {
  const std::string plain = scalar_to_yaml(value);
  const bool is_comparable = value.is_string() && old.is_string() && !layout.is_empty(old);
  if (!is_comparable || quoted_for_yaml(old.text()) != old.text()) return plain;
  const char sign = layout.text[layout.begin(old)];
  if (sign == '\'') return in_single_quotes(value.text());
  return sign == '"' ? quoted_for_flow(value.text(), true) : plain;
}

class BlockSet {
 public:
  BlockSet(const Layout& layout, const Node& node, const Node& value)
      : layout_(layout),
        node_(node),
        value_(value),
        introducer_(layout_.introducer(node)),
        begin_(layout_.begin_with_properties(node)),
        end_(layout_.end(node)) {
    if (is_block_scalar() || layout_.is_block(node_)) end_ = layout_.line_end(end_);
  }

  Candidates candidates() const {
    Candidates result;
    if (is_collection()) return {below(), headed(to_flow(value_, false))};
    if (value_.is_string() && fits_block_scalar(value_.text())) result.push_back(text_block());
    const std::string head =
        value_.is_scalar() ? scalar_like(layout_, node_, value_) : to_flow(value_, false);
    result.push_back(headed(head));
    return result;
  }

 private:
  bool is_collection() const { return !value_.is_empty() && !value_.is_scalar(); }

  bool is_block_scalar() const { return layout_.is_block_scalar(node_); }

  /// Lines below the value must be indented deeper than this column.
  std::size_t outer_column() const {
    return node_.parent() == nullptr ? 0 : layout_.column(layout_.begin(*node_.parent()));
  }

  std::vector<Edit> text_block() const {
    return headed(block_scalar_header(value_.text()),
                  in_line_breaks(block_scalar_lines(value_.text(), outer_column() + kIndent),
                                 layout_.line_break()));
  }

  /// `head` in the place of the old value, and `lines` below.
  std::vector<Edit> headed(const std::string& head, const std::string& lines = "") const {
    const std::string rest = below_head(lines);
    if (layout_.is_empty(node_)) {
      if (!introducer_) return {};
      return with_lines(
          {replace(layout_, {*introducer_, std::max(end_, *introducer_)}, " " + head)}, end_, rest);
    }
    if (is_block_scalar()) {
      return {replace(layout_, {begin_, end_}, head + header_comment() + rest)};
    }
    if (!layout_.is_block(node_)) {
      return with_lines({replace(layout_, {begin_, end_}, head)}, end_, rest);
    }
    if (!introducer_ || !layout_.begins_line(layout_.begin(node_))) {
      return {replace(layout_, {begin_, end_}, head + rest)};
    }
    return with_lines(
        {replace(layout_, {*introducer_, layout_.end_of_properties(*introducer_)}, " " + head),
         replace(layout_, {layout_.line_begin(layout_.begin(node_)), layout_.next_line(end_)}, "")},
        *introducer_, rest);
  }

  std::string below_head(const std::string& lines) const {
    if (lines.empty()) return lines;
    // A text that ends with a line break needs one at the end of the file as well.
    const bool ends_file = layout_.line_end(end_) == layout_.text.size();
    return std::string(layout_.line_break()) + (ends_file ? lines : without_last_break(lines));
  }

  /// Adds `rest` after the line of `at`.
  std::vector<Edit> with_lines(std::vector<Edit> edits, std::size_t at,
                               const std::string& rest) const {
    if (!rest.empty()) edits.push_back(insert(layout_, layout_.line_end(at), rest));
    return edits;
  }

  /// The comment after the '|', with the blanks before it.
  std::string header_comment() const {
    const std::size_t begin = layout_.begin(node_);
    const std::string_view header = layout_.text.substr(begin, layout_.line_end(begin) - begin);
    const std::size_t sign = header.find('#');
    if (sign == std::string_view::npos) return {};
    const std::size_t end = header.find_last_not_of(" \t", sign - 1) + 1;
    // yaml-cpp also accepts "|#".
    return end == sign ? kBeforeComment + std::string(header.substr(sign))
                       : std::string(header.substr(end));
  }

  /// The comment after the old value on its line, with the blanks before it; a tab is replaced,
  /// since it may not follow a ':' or a '-'.
  std::string tail() const {
    if (layout_.is_block(node_)) return {};
    const std::string_view line = layout_.text.substr(end_, layout_.line_end(end_) - end_);
    const std::string rest = is_block_scalar() ? header_comment() : std::string(line);
    const std::string_view comment = trim(rest);
    if (comment.empty()) return {};
    return rest.find_first_of("\t#") == rest.find('#') ? rest
                                                       : kBeforeComment + std::string(comment);
  }

  /// A mapping or a list in block style.
  std::vector<Edit> below() const {
    if (layout_.is_block(node_)) return without_properties(in_place());
    if (node_.parent() == nullptr) {
      return {replace(layout_, {begin_, layout_.line_end(end_)}, without_first_indent(0))};
    }
    if (!introducer_) return {};
    return node_.key() != nullptr ? below_key() : after_dash();
  }

  /// Replaces another mapping or list in block style. The two are indented differently only below a
  /// key.
  std::vector<Edit> in_place() const {
    const std::size_t at = layout_.begin(node_);
    const bool moves = node_.key() != nullptr && node_.kind != value_.kind &&
                       layout_.begins_line(at) && introducer_;
    if (!moves) return {replace(layout_, {at, end_}, without_first_indent(layout_.column(at)))};
    return {replace(layout_, {layout_.line_begin(at), end_}, lines(usual_column()))};
  }

  /// Also removes a tag or an anchor before the old value.
  std::vector<Edit> without_properties(std::vector<Edit> edits) const {
    if (begin_ == layout_.begin(node_) || !introducer_) return edits;
    const std::size_t rest = layout_.skip_spaces(layout_.end_of_properties(*introducer_));
    const bool comment = rest != layout_.line_end(rest);
    edits.push_back(replace(layout_, {*introducer_, rest}, comment ? kBeforeComment : ""));
    return edits;
  }

  std::vector<Edit> below_key() const {
    const std::string text = lines(usual_column());
    const std::size_t line_end = layout_.line_end(end_);
    const bool same_line =
        layout_.is_empty(node_) || layout_.line_begin(begin_) == layout_.line_begin(*introducer_);
    if (same_line) {
      return {replace(layout_, {*introducer_, line_end},
                      tail() + std::string(layout_.line_break()) + text)};
    }
    return {replace(layout_, {layout_.line_begin(begin_), line_end}, with_tail(text))};
  }

  std::vector<Edit> after_dash() const {
    const TextRange old{*introducer_, layout_.line_end(end_)};
    return {replace(layout_, old, " " + with_tail(without_first_indent(outer_column() + kIndent)))};
  }

  /// Puts the comment of the old value after the first line.
  std::string with_tail(const std::string& text) const {
    const std::size_t first = std::min(text.find_first_of("\r\n"), text.size());
    return text.substr(0, first) + tail() + text.substr(first);
  }

  std::size_t usual_column() const { return outer_column() + layout_.usual_indent(value_.kind); }

  std::string lines(std::size_t column) const {
    return without_last_break(block_lines(value_, column, layout_.line_break()));
  }
  /// The lines without the indentation of the first.
  std::string without_first_indent(std::size_t column) const {
    return lines(column).substr(column);
  }

  const Layout& layout_;
  const Node& node_;
  const Node& value_;
  std::optional<std::size_t> introducer_;
  std::size_t begin_;  ///< of the old value, with tags and anchors
  std::size_t end_;    ///< of the old value; in block style, of its line
};

Candidates flow_candidates(const Layout& layout, const Node& node, const Node& value) {
  const std::string text = flow_text(layout, node, value);
  if (!layout.is_empty(node)) {
    return {{replace(layout, {layout.begin_with_properties(node), layout.end(node)}, text)}};
  }
  const std::size_t end = layout.end(node);
  const auto sign = layout.introducer(node);
  if (sign) return {{replace(layout, {*sign, std::max(end, *sign)}, " " + text)}};
  return {{insert(layout, end, ": " + text)}};
}

}  // namespace

Candidates set_candidates(const Layout& layout, const Node& node, const Node& value) {
  const Node& outer = node.parent() != nullptr ? *node.parent() : node;
  return layout.in_flow(outer) ? flow_candidates(layout, node, value)
                               : BlockSet(layout, node, value).candidates();
}

Candidates rename_candidates(const Layout& layout, const Node& node, std::string_view key) {
  const Node& mapping = *node.parent();
  const std::string text =
      layout.in_flow(mapping) ? flow_key(layout, mapping, key) : quoted_for_yaml(key);
  return {{{node.key()->span, text}}};
}

namespace {

/// Adds lines to a collection in block style.
class BlockAdd {
 public:
  BlockAdd(const Layout& layout, const Node& collection, std::string lines)
      : layout_(layout),
        column_(layout_.column(layout_.begin(collection))),
        end_(layout_.end(collection)),
        lines_(std::move(lines)) {}

  Candidates candidates() const {
    const std::size_t next = layout_.next_line(end_);
    const std::size_t comments = end_of_comments(next);
    return {at_line(comments),
            at_line(next),
            at_line(layout_.skip_blank_lines(next)),
            {insert(layout_, layout_.text.size(), std::string(layout_.line_break()) + lines_)}};
  }

 private:
  /// The end of the comments that belong to the collection: those indented deeper, and those at its
  /// column that follow directly, unless an entry at the same column follows them.
  std::size_t end_of_comments(std::size_t line) const {
    const std::size_t end = layout_.end_of_deeper_comments(line, column_);
    std::size_t at = end;
    while (at < layout_.text.size()) {
      const auto comment = layout_.comment_on_line(at);
      if (!comment || *comment - at != column_) break;
      at = layout_.next_line(at);
    }
    const bool belongs_to_next = at < layout_.text.size() &&
                                 layout_.skip_spaces(at) - at == column_ &&
                                 !layout_.is_blank_line(at);
    return belongs_to_next ? end : at;
  }

  /// Inserts before the line, or after the last one, which may lack a line break.
  std::vector<Edit> at_line(std::size_t line) const {
    const std::string_view text = layout_.text;
    if (line < text.size() || text.ends_with('\n')) return {insert(layout_, line, lines_)};
    const std::string_view line_break = layout_.line_break();
    return {insert(layout_, line,
                   std::string(line_break) + lines_.substr(0, lines_.size() - line_break.size()))};
  }

  const Layout& layout_;
  std::size_t column_;
  std::size_t end_;
  std::string lines_;
};

/// The only entry or item of `added`, in the style of the last one of `collection`.
std::string text_in_flow(const Layout& layout, const Node& collection, const Node& added) {
  const Node& last = *Layout::children(collection).back();
  if (added.is_sequence()) return flow_text(layout, last, added.at(0));
  const Entry& entry = added.entries().front();
  return flow_key(layout, collection, entry.key->text()) + ": " +
         flow_text(layout, last, *entry.value);
}

/// The lines of an entry with the comments of the replaced one: those above it, and the last one on
/// its lines.
std::string with_comments_of(const Layout& layout, const Node& replaced, std::string lines,
                             std::size_t column) {
  const TextRange old = layout.lines_of(replaced, replaced);
  const std::string_view line_break = layout.line_break();
  std::string above;
  std::string behind;
  for (const Comment& comment : layout.comments()) {
    const std::size_t at = layout.begin(comment);
    if (at < old.begin || at >= old.end) continue;
    if (comment.own_line) {
      above += std::string(column, ' ') + std::string(layout.text_of(comment));
      above += line_break;
    } else if (behind.empty()) {
      const std::size_t end = layout.text.find_last_not_of(" \t", at - 1) + 1;
      behind =
          std::string(layout.text.substr(end, at - end)) + std::string(layout.text_of(comment));
    }
  }
  if (!behind.empty()) lines.insert(lines.find(line_break), behind);
  return above + lines;
}

}  // namespace

Candidates append_candidates(const Layout& layout, const Node& collection, std::string lines) {
  return BlockAdd(layout, collection, std::move(lines)).candidates();
}

std::vector<Edit> append_in_flow(const Layout& layout, const Node& collection,
                                 const std::string& text) {
  const Node& last = *Layout::children(collection).back();
  const std::size_t begin = layout.begin_of_entry(last);
  const std::size_t end = layout.end(last);
  const auto comma = layout.comma(last);
  const std::size_t end_with_comma = comma ? *comma + 1 : end;
  const std::string closing = comma ? "," : "";
  if (!layout.begins_line(begin)) {
    return {insert(layout, end_with_comma, (comma ? " " : ", ") + text + closing)};
  }
  const std::size_t line = layout.line_begin(begin);
  const std::string line_text = std::string(layout.line_break()) +
                                std::string(layout.text.substr(line, begin - line)) + text +
                                closing;
  std::vector<Edit> edits;
  if (!comma) edits.push_back(insert(layout, end, ","));
  const std::size_t close = layout.end(collection) - 1;
  const std::size_t line_end = layout.line_end(end_with_comma);
  edits.push_back(insert(layout, line_end < close ? line_end : end_with_comma, line_text));
  return edits;
}

Candidates add_candidates(const Layout& layout, const Node& collection, const Node& added,
                          const Node* replaced) {
  if (layout.has_brackets(collection) && !Layout::children(collection).empty()) {
    return {append_in_flow(layout, collection, text_in_flow(layout, collection, added))};
  }
  if (layout.in_flow(collection)) return {};
  const std::size_t column = layout.column(layout.begin(collection));
  std::string lines = block_lines(added, column, layout.line_break());
  if (replaced != nullptr && !layout.in_flow(*replaced->parent())) {
    lines = with_comments_of(layout, *replaced, std::move(lines), column);
  }
  return append_candidates(layout, collection, std::move(lines));
}

}  // namespace cnsched::yaml
