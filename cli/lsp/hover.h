#pragma once

#include <string>
#include <string_view>

#include "cli/lsp/session.h"
#include "core/yaml/node.h"

namespace cnsched::cli::lsp {

/// The text of a hover, in Markdown or as plain text. Whatever comes from files is printable and
/// has no markup.
class HoverText {
 public:
  explicit HoverText(bool is_markdown) : is_markdown_(is_markdown) {}

  /// A paragraph of one's own words and of what `code` returned.
  void add_paragraph(std::string_view text);
  void add_item(std::string_view text);
  /// A block of YAML; at most `kMaxLines` lines of it.
  void add_yaml(std::string_view yaml);

  /// A name or a value of a file, within a sentence.
  std::string code(std::string_view text) const;
  /// Text of a file that is no code.
  std::string words(std::string_view text) const;

  bool empty() const { return text_.empty(); }
  const std::string& text() const { return text_; }

 private:
  static constexpr std::size_t kMaxLines = 30;

  bool is_markdown_;
  std::string text_;
};

/// For a value that decides placement: what the effective pods have in its place, and where that is
/// written. Adds nothing for other values.
void add_effective_values(const Cursor& cursor, const Session& session, HoverText& text);

}  // namespace cnsched::cli::lsp
