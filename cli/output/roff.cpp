#include "cli/output/roff.h"

#include <fmt/format.h>

#include "cli/build_info.h"
#include "core/base/text.h"

namespace cnsched::cli {

namespace {

constexpr std::string_view kIndent = ".RS 4";

/// Escapes all markup. Non-ASCII text stays UTF-8, which groff's preconv and mandoc read.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '\\':
        result += "\\(rs";
        break;
      case '-':
        result += "\\-";
        break;
      case '\'':
        result += "\\(aq";
        break;
      case '`':
        result += "\\(ga";
        break;
      case '^':
        result += "\\(ha";
        break;
      case '~':
        result += "\\(ti";
        break;
      default:
        result += c;
    }
  }
  return result;
}

/// Escapes a leading character that would begin a request.
std::string at_line_start(std::string line) {
  if (line.starts_with('.')) line.insert(0, "\\&");
  return line;
}

/// Quotes an argument of a macro.
std::string argument(std::string_view text) {
  std::string result = "\"";
  for (const char c : escaped(text)) result += c == '"' ? std::string("\\(dq") : std::string(1, c);
  return result + "\"";
}

/// Text in backticks becomes bold.
std::string marked(std::string_view text) {
  std::string result;
  bool is_code = false;
  for (const std::string_view part : split(text, '`')) {
    result += is_code ? bold(part) : plain(part);
    is_code = !is_code;
  }
  return result;
}

}  // namespace

std::string plain(std::string_view text) { return escaped(text); }
std::string bold(std::string_view text) { return "\\fB" + escaped(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + escaped(text) + "\\fR"; }

ManualPage::ManualPage(std::string_view name, int section, std::string_view what) {
  std::string title(name);
  for (char& c : title) c = (c >= 'a' && c <= 'z') ? static_cast<char>(c - 'a' + 'A') : c;
  request(".\\\" Made by the build target 'docs' from the program's own definitions.");
  request(fmt::format(
      ".TH {} {} {} {} {}", argument(title), section, fmt::format("\"{}\"", kBuildInfo.date),
      argument(fmt::format("cnsched {}", kBuildInfo.version)), argument("cnsched manual")));
  heading("NAME");
  line(plain(name) + " \\- " + marked(what));
}

void ManualPage::request(std::string_view line) {
  text_ += line;
  text_ += '\n';
  begins_ = false;
}

void ManualPage::heading(std::string_view title) {
  request(".SH " + argument(title));
  begins_ = true;
}

void ManualPage::subheading(std::string_view title) {
  request(".SS " + argument(title));
  begins_ = true;
}

void ManualPage::begin_paragraph() {
  if (!begins_) request(".PP");
}

void ManualPage::line(std::string_view pieces) { request(at_line_start(std::string(pieces))); }

void ManualPage::body(std::string_view text) {
  constexpr std::size_t kTextWidth = 72;
  for (const std::string& line : wrap(marked(text), kTextWidth)) request(at_line_start(line));
}

void ManualPage::paragraphs(std::string_view text) {
  for (;;) {
    const std::size_t end = text.find("\n\n");
    const std::string_view paragraph = text.substr(0, end);
    if (paragraph.starts_with("    ")) {
      lines(paragraph);
    } else {
      begin_paragraph();
      body(paragraph);
    }
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 2);
  }
}

void ManualPage::item(std::string_view tag, std::string_view text) {
  request(".TP");
  line(tag);
  body(text);
}

void ManualPage::lines(std::string_view text) {
  begin_paragraph();
  request(kIndent);
  request(".nf");
  for (const std::string_view line : split(trim(text), '\n')) {
    request(line.empty() ? ".sp" : at_line_start(escaped(line)));
  }
  request(".fi");
  request(".RE");
}

void ManualPage::begin_indent() { request(kIndent); }

void ManualPage::end_indent() {
  const bool is_empty = text_.ends_with(std::string(kIndent) + "\n");
  if (is_empty) {
    text_.resize(text_.size() - kIndent.size() - 1);
  } else {
    request(".RE");
  }
}

}  // namespace cnsched::cli
