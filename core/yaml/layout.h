#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/yaml/document.h"

namespace cnsched::yaml {

/// How much further in than its key a value stands, if nothing else tells.
inline constexpr std::size_t kIndent = 2;

/// A part of a text, half-open.
struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Where the parts of a document lie in its text, dashes, colons, commas, tags and comments
/// included. All positions are offsets in `text`. Where the text is too strange to tell, they are
/// wrong: who edits by them has to look at what comes out.
class Layout {
 public:
  Layout(const SourceFile& file, const Document& document);

  const std::string_view text;

  std::size_t begin(const Node& node) const { return node.span.begin - base_; }
  std::size_t begin(const Comment& comment) const { return comment.span.begin - base_; }
  /// Behind the node, with the tag or anchor of an empty value, and the blank lines of a text that
  /// keeps them (|+).
  std::size_t end(const Node& node) const;
  Span span(Range range) const;
  std::size_t column(std::size_t at) const;

  /// The values that the collection itself holds, in file order: no merged ones.
  static std::vector<const Node*> children(const Node& collection);
  /// Whether `<<` brings entries into the mapping; where it is written, no node tells.
  static bool merges(const Node& collection);
  /// Written with brackets, or within some.
  bool in_flow(const Node& node) const;
  bool has_brackets(const Node& collection) const;
  /// A mapping or a list in block style. Not an alias of one.
  bool is_block(const Node& node) const;
  /// A text in lines below its '|' or '>'.
  bool is_block_scalar(const Node& node) const;
  /// A text that ends with all blank lines below it (|+), or what ends with one.
  bool keeps_blank_lines(const Node& node) const;
  /// Nothing is written but, perhaps, a tag or an anchor.
  bool is_empty(const Node& node) const;

  /// Where the entry that holds `child`, or the item that it is, begins: at its key with all that
  /// belongs to it, or at its dash.
  std::size_t begin_of_entry(const Node& child) const;
  /// Behind the ':' of the entry or the '-' of the item; nothing in front of the root, an item in
  /// brackets or a value without ':'.
  std::optional<std::size_t> introducer(const Node& child) const;
  /// Where the value begins, or the tags and anchors in front of it.
  std::size_t begin_with_properties(const Node& child) const;
  /// Behind the tags and anchors at `at`, on its line.
  std::size_t end_of_properties(std::size_t at) const;
  /// The comma behind an entry or item in brackets.
  std::optional<std::size_t> comma(const Node& child) const;

  bool begins_line(std::size_t at) const;
  std::size_t line_begin(std::size_t at) const;
  /// Where the line ends, before its LF or CRLF.
  std::size_t line_end(std::size_t at) const;
  /// Behind the line's LF; the end of the text if it has none.
  std::size_t next_line(std::size_t at) const;
  bool is_blank_line(std::size_t line) const;
  std::size_t skip_blank_lines(std::size_t line) const;
  /// Past blanks on the line.
  std::size_t skip_spaces(std::size_t at) const;
  /// The comment that has the line to itself: where its '#' is.
  std::optional<std::size_t> comment_on_line(std::size_t line) const;
  bool has_comment_within(Range range) const;

  /// Where the comments begin that stand directly above the line, as far in as what is at `at`;
  /// else the begin of the line.
  std::size_t begin_of_comments_above(std::size_t at) const;
  /// Behind the lines that follow `line` and are comments further in than `column`.
  std::size_t end_of_deeper_comments(std::size_t line, std::size_t column) const;
  /// The lines of neighbours in a collection in block style, with the comments that belong to them:
  /// directly above and as far in, behind, and below further in. (What stands above the first entry
  /// of a document is about the document.) Behind a dash they begin at the first of them.
  Range lines_of(const Node& first, const Node& last) const;

  /// How much further in than their keys values of one kind stand in the document: as the first
  /// does.
  std::size_t usual_indent(Node::Kind kind) const;

  /// The line end that the document uses.
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
