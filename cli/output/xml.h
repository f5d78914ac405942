#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cnsched::cli {

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
