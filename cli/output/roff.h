#pragma once

#include <string>
#include <string_view>

namespace cnsched::cli {

/// A manual page in the macros of man(7), as groff and mandoc read them. What is written into it is
/// text: nothing in it is a request, an escape or a hyphen that breaks a word to be typed.
class ManualPage {
 public:
  /// `name`(`section`), of the program's version; `what` is the half sentence for whatis(1).
  ManualPage(std::string_view name, int section, std::string_view what);

  void heading(std::string_view title);
  void subheading(std::string_view title);
  /// A line that is made of `bold`, `italic` and `plain`.
  void line(std::string_view pieces);
  /// Paragraphs that empty lines part; `words to be typed` are bold, and a paragraph that four
  /// blanks begin is one of lines that stay as they are.
  void paragraphs(std::string_view text);
  /// What `tag` is, indented below it. The tag is made of pieces as well.
  void item(std::string_view tag, std::string_view text);
  /// Lines that stay as they are.
  void lines(std::string_view text);
  /// What follows is indented, until `end_indent`.
  void begin_indent();
  void end_indent();

  const std::string& text() const { return text_; }

 private:
  void request(std::string_view line);
  void begin_paragraph();
  void body(std::string_view text);

  std::string text_;
  bool begins_ = false;  ///< nothing stands below the last heading yet
};

// Pieces of a tag.
std::string bold(std::string_view text);
std::string italic(std::string_view text);
/// As it stands, escaped.
std::string plain(std::string_view text);

}  // namespace cnsched::cli
