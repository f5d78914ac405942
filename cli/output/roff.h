#pragma once

#include <string>
#include <string_view>

namespace cnsched::cli {

/// A manual page in the macros of man(7), for groff and mandoc. All text is escaped: it contains no
/// requests and no escapes, and hyphens do not break literal words.
class ManualPage {
 public:
  /// `name`(`section`) with the program's version; `what` is the phrase for whatis(1).
  ManualPage(std::string_view name, int section, std::string_view what);

  void heading(std::string_view title);
  void subheading(std::string_view title);
  /// A line composed of `bold`, `italic` and `plain`.
  void line(std::string_view pieces);
  /// Paragraphs separated by empty lines. Text in backticks is bold; a paragraph indented by four
  /// blanks is printed verbatim.
  void paragraphs(std::string_view text);
  /// A tag, composed of pieces, with its text indented below.
  void item(std::string_view tag, std::string_view text);
  /// Lines that are printed verbatim.
  void lines(std::string_view text);
  /// Indents until `end_indent`.
  void begin_indent();
  void end_indent();

  const std::string& text() const { return text_; }

 private:
  void request(std::string_view line);
  void begin_paragraph();
  void body(std::string_view text);

  std::string text_;
  bool begins_ = false;  ///< nothing is written below the last heading yet
};

// Pieces of a tag.
std::string bold(std::string_view text);
std::string italic(std::string_view text);
/// Unformatted text, escaped.
std::string plain(std::string_view text);

}  // namespace cnsched::cli
