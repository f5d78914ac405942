#include "cli/output/safe_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

namespace cnsched::cli {

namespace {

/// A printable line without its end; tabs stay.
void write_printable(std::string_view line, std::ostream& out) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  std::string_view between;
  for (const std::string_view part : split(line, '\t')) {
    out << between << printable(part);
    between = "\t";
  }
}

/// Whether GitHub, which links URLs in plain text, could find one at this character.
bool may_start_link(std::string_view before, std::string_view rest) {
  if (rest.starts_with("://")) return true;
  constexpr std::size_t kPrefix = 3;
  return rest.starts_with('.') && before.size() >= kPrefix &&
         equals_ignoring_case(before.substr(before.size() - kPrefix), "www");
}

/// Whether the character is written unencoded.
bool is_plain_in_uri(char c) {
  return is_alphanumeric(c) || std::string_view("-._~/").find(c) != std::string_view::npos;
}

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

std::string escaped_lines(std::string_view text) {
  std::vector<std::string> lines;
  for (const std::string_view line : split(text, '\n')) lines.push_back(xml_escaped(line));
  return fmt::format("{}", fmt::join(lines, "\n"));
}

}  // namespace

void write_verbatim(std::string_view text, const Console& console) {
  if (!console.out_is_displayed()) {
    console.out << text;
    return;
  }
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    write_printable(text.substr(0, end), console.out);
    if (end < text.size()) console.out << '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void write_wrapped(std::string_view text, std::size_t indent, std::size_t width,
                   std::ostream& out) {
  for (const std::string& line : wrap(printable(text), width - indent)) {
    out << std::string(indent, ' ') << line << '\n';
  }
}

void write_item(std::string_view text, std::size_t indent, std::size_t width, std::ostream& out) {
  std::string_view mark = "- ";
  for (const std::string& line : wrap(text, width - indent - mark.size())) {
    out << std::string(indent, ' ') << mark << line << '\n';
    mark = "  ";
  }
}

std::string markdown_text(std::string_view text) {
  constexpr std::string_view kMarkup = "\\`*_[]<>|~&#$@";
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = kMarkup.find(text[i]) != std::string_view::npos ||
                        may_start_link(text.substr(0, i), text.substr(i));
    if (escape) result += '\\';
    result += text[i];
  }
  return result;
}

std::string percent_encoded(std::string_view text, const std::function<bool(char)>& encodes) {
  std::string result;
  for (const char c : text) {
    result +=
        encodes(c) ? fmt::format("%{:02X}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  return result;
}

std::string uri_path(std::string_view path) {
  return percent_encoded(path, [](char c) { return !is_plain_in_uri(c); });
}

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
  out_ << '>' << escaped_lines(text) << "</" << name << ">\n";
}

}  // namespace cnsched::cli
