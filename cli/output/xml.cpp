#include "cli/output/xml.h"

#include <fmt/format.h>

#include "core/base/text.h"

namespace cnsched::cli {

namespace {

std::string_view entity_of(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':  // required only in "]]>", but always safe
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&apos;";
    default:
      return {};
  }
}

/// The two code points that are valid UTF-8 but not XML characters.
bool is_noncharacter(std::string_view code_point) {
  return code_point == "\xEF\xBF\xBE" || code_point == "\xEF\xBF\xBF";
}

std::string escaped_text(std::string_view text) {
  std::vector<std::string> lines;
  for (const std::string_view line : split(text, '\n')) lines.push_back(xml_escaped(line));
  return fmt::format("{}", fmt::join(lines, "\n"));
}

}  // namespace

std::string xml_escaped(std::string_view text) {
  std::string result;
  const std::string shown = printable(text);
  for (std::string_view rest = shown; !rest.empty();) {
    const std::string_view next = rest.substr(0, utf8_length(rest));
    rest.remove_prefix(next.size());
    const std::string_view entity = entity_of(next.front());
    if (!entity.empty()) {
      result += entity;
    } else if (!is_noncharacter(next)) {
      result += next;
    }
  }
  return result;
}

XmlWriter::XmlWriter(std::ostream& out) : out_(out) {
  out_ << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
}

void XmlWriter::begin(std::string_view name, const Attributes& attributes) {
  out_ << std::string(2 * open_.size(), ' ') << '<' << name;
  for (const auto& [key, value] : attributes) {
    out_ << ' ' << key << "=\"" << xml_escaped(value) << '"';
  }
}

void XmlWriter::open(std::string_view name, const Attributes& attributes) {
  begin(name, attributes);
  out_ << ">\n";
  open_.emplace_back(name);
}

void XmlWriter::close() {
  const std::string name = std::move(open_.back());
  open_.pop_back();
  out_ << std::string(2 * open_.size(), ' ') << "</" << name << ">\n";
}

void XmlWriter::empty(std::string_view name, const Attributes& attributes) {
  begin(name, attributes);
  out_ << "/>\n";
}

void XmlWriter::text(std::string_view name, const Attributes& attributes, std::string_view text) {
  begin(name, attributes);
  out_ << '>' << escaped_text(text) << "</" << name << ">\n";
}

}  // namespace cnsched::cli
