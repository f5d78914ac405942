// Text of files in the output: it contains no markup, no control sequence and no command for its
// reader.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/console.h"

namespace cnsched::cli {

/// Prints a diff or a manifest: unchanged for programs, escaped for terminals and for the log of a
/// CI system, which would execute commands in it.
void write_verbatim(std::string_view text, const Console& console);

/// Writes the words of `text`, printable, in lines of at most `width` columns, indented by
/// `indent`.
void write_wrapped(std::string_view text, std::size_t indent, std::size_t width, std::ostream& out);
/// The same for an item of a list, whose text is printable: "- " precedes the first line.
void write_item(std::string_view text, std::size_t indent, std::size_t width, std::ostream& out);

/// Escapes text for GitHub's Markdown, also in tables: it contains no markup, HTML or links.
std::string markdown_text(std::string_view text);

/// Replaces each byte for which `encodes` is true by %XX.
std::string percent_encoded(std::string_view text, const std::function<bool(char)>& encodes);

/// A path for a URI (RFC 3986): every byte except letters, digits, '-', '.', '_', '~' and
/// '/' becomes %XX.
std::string uri_path(std::string_view path);

/// `text` on one line of XML or HTML, in an element or in a quoted attribute: unprintable
/// characters and line ends become visible escapes, markup is escaped.
std::string xml_escaped(std::string_view text);

/// Writes an XML 1.0 document, one element per line. Unprintable characters except line ends become
/// visible escapes, so that texts cannot end an element or contain illegal characters.
class XmlWriter {
 public:
  using Attributes = std::vector<std::pair<std::string_view, std::string>>;

  explicit XmlWriter(std::ostream& out);

  /// An element with others in it, up to `close`.
  void open(std::string_view name, const Attributes& attributes);
  void close();
  /// An element with nothing in it.
  void empty(std::string_view name, const Attributes& attributes);
  /// An element with text in it.
  void text(std::string_view name, const Attributes& attributes, std::string_view text);

 private:
  void begin(std::string_view name, const Attributes& attributes);

  std::ostream& out_;
  std::vector<std::string> open_;
};

}  // namespace cnsched::cli
