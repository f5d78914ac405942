#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cnsched::cli {

/// `text` on one line of XML or HTML, in an element or in a quoted attribute: what is not
/// printable, line ends as well, becomes visible escapes, and nothing in it is markup.
std::string xml_escaped(std::string_view text);

/// Writes an XML 1.0 document, an element a line. What a text holds beyond printable characters and
/// line ends becomes visible escapes, so that nothing ends an element or is illegal.
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
