#include "core/yaml/candidates.h"
#include "core/yaml/node_text.h"

namespace cnsched::yaml {

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
  const Range old = layout.lines_of(replaced, replaced);
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
