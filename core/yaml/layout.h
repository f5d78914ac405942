#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/yaml/document.h"

namespace cnsched::yaml {

/// The default indentation of a value below its key, if the document has no example.
inline constexpr std::size_t kIndent = 2;

/// A part of a text, half-open.
struct TextRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// The positions of a document's parts in its text, including dashes, colons, commas, tags and
/// comments. All positions are offsets in `text`. They may be wrong for unusual text, so the result
/// of an edit must be checked.
class Layout {
 public:
  Layout(const SourceFile& file, const Document& document);

  const std::string_view text;

  std::size_t begin(const Node& node) const { return node.span.begin - base_; }
  std::size_t begin(const Comment& comment) const { return comment.span.begin - base_; }
  /// The end of the node, including the tag or anchor of an empty value and the blank lines that a
  /// text keeps (|+).
  std::size_t end(const Node& node) const;
  Span span(TextRange range) const;
  const std::vector<Comment>& comments() const { return document_.comments; }
  std::string_view text_of(const Comment& comment) const {
    return text.substr(begin(comment), comment.span.end - comment.span.begin);
  }
  std::size_t column(std::size_t at) const;

  /// The values of the collection in file order, without merged ones.
  static std::vector<const Node*> children(const Node& collection);
  /// Whether `<<` merges entries into the mapping. No node has the position of the `<<`.
  static bool merges(const Node& collection);
  /// In flow style: has brackets, or is within brackets.
  bool in_flow(const Node& node) const;
  bool has_brackets(const Node& collection) const;
  /// A mapping or a list in block style; not an alias.
  bool is_block(const Node& node) const;
  /// A block scalar ('|' or '>').
  bool is_block_scalar(const Node& node) const;
  /// A text that includes the blank lines below it (|+), or a collection that ends with one.
  bool keeps_blank_lines(const Node& node) const;
  /// No text, except perhaps a tag or an anchor.
  bool is_empty(const Node& node) const;

  /// The beginning of the entry of `child` (its key with tags and anchors), or of the item (its
  /// dash).
  std::size_t begin_of_entry(const Node& child) const;
  /// The end of the ':' of the entry or of the '-' of the item. Nothing for the root, an item in
  /// flow style or a value without ':'.
  std::optional<std::size_t> introducer(const Node& child) const;
  /// The beginning of the value with the tags and anchors before it.
  std::size_t begin_with_properties(const Node& child) const;
  /// The end of the tags and anchors at `at`, on its line.
  std::size_t end_of_properties(std::size_t at) const;
  /// The comma after an entry or item in flow style.
  std::optional<std::size_t> comma(const Node& child) const;

  bool begins_line(std::size_t at) const;
  std::size_t line_begin(std::size_t at) const;
  /// The end of the line, before its LF or CRLF.
  std::size_t line_end(std::size_t at) const;
  /// The beginning of the next line, or the end of the text.
  std::size_t next_line(std::size_t at) const;
  bool is_blank_line(std::size_t line) const;
  std::size_t skip_blank_lines(std::size_t line) const;
  /// The next position on the line that is not blank.
  std::size_t skip_spaces(std::size_t at) const;
  /// The '#' of a comment that has the line to itself.
  std::optional<std::size_t> comment_on_line(std::size_t line) const;
  bool has_comment_within(TextRange range) const;

  /// The beginning of the comment lines directly above the line of `at` and at its column; else the
  /// beginning of the line.
  std::size_t begin_of_comments_above(std::size_t at) const;
  /// The end of the comment lines from `line` on that are indented deeper than `column`.
  std::size_t end_of_deeper_comments(std::size_t line, std::size_t column) const;
  /// The lines of neighbours in a block collection, with the comments that belong to them: directly
  /// above at the same column, on the last line, and below at a deeper column. (Comments above the
  /// first entry of a document are about the document.) After a dash the range begins at `first`.
  TextRange lines_of(const Node& first, const Node& last) const;

  /// The indentation of values of one kind below their keys: that of the first in the document.
  std::size_t usual_indent(Node::Kind kind) const;

  /// The line break that the document uses.
  std::string_view line_break() const { return line_break_; }

 private:
  std::size_t end_of_blank_lines(std::size_t at) const;
  std::size_t begin_of_line_of_entry(const Node& child) const;
  std::size_t begin_in_brackets(const Node& child) const;

  const Document& document_;
  std::size_t base_;
  std::string_view line_break_;
};

}  // namespace cnsched::yaml
