#include "testdata/terminal_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/output/safe_text.h"
#include "core/base/text.h"

namespace cnsched::test {

namespace {

constexpr int kFontSize = 14;
constexpr double kCharacterWidth = 8.43;  ///< of the usual monospaced fonts at that size
constexpr int kLineHeight = 19;
constexpr int kMargin = 16;

/// What the SGR codes read so far select.
struct Pen {
  bool bold = false;
  char color = 0;  ///< '0' to '7'; 0: the default
};

void apply(std::string_view code, Pen& pen) {
  if (code == "0") pen = {};
  if (code == "1") pen.bold = true;
  if (code.size() == 2 && code.front() == '9') pen.color = code.back();
}

std::string span_of(std::string_view text, const Pen& pen) {
  if (text.empty()) return {};
  std::string classes = pen.bold ? "b" : "";
  if (pen.color != 0) classes += fmt::format("{}c{}", classes.empty() ? "" : " ", pen.color);
  if (classes.empty()) return cli::xml_escaped(text);
  return fmt::format("<tspan class=\"{}\">{}</tspan>", classes, cli::xml_escaped(text));
}

struct Line {
  std::string spans;
  std::size_t width = 0;  ///< in characters
};

Line line_of(std::string_view text, Pen& pen) {
  Line line;
  while (!text.empty()) {
    const std::size_t escape = std::min(text.find("\x1b["), text.size());
    line.spans += span_of(text.substr(0, escape), pen);
    line.width += display_width(text.substr(0, escape));
    text.remove_prefix(escape);
    if (text.empty()) break;
    const std::size_t end = text.find('m');
    apply(text.substr(2, end - 2), pen);
    text.remove_prefix(end + 1);
  }
  return line;
}

}  // namespace

std::string terminal_picture(std::string_view text) {
  std::string body;
  std::size_t width = 0;
  int y = kMargin;
  Pen pen;
  for (const std::string_view each : split(trim(text), '\n')) {
    const Line line = line_of(each, pen);
    width = std::max(width, line.width);
    y += kLineHeight;
    if (!line.spans.empty()) {
      body += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", kMargin, y - 5, line.spans);
    }
  }
  const int pixels = static_cast<int>(static_cast<double>(width) * kCharacterWidth) + 2 * kMargin;
  return fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" viewBox="0 0 {0} {1}" width="{0}" height="{1}">
<style>
text {{ font: {2}px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #d0d7de; white-space: pre }}
.b {{ font-weight: bold }} .c1 {{ fill: #ff7b72 }} .c2 {{ fill: #56d364 }} .c3 {{ fill: #e3b341 }}
.c4 {{ fill: #79c0ff }} .c6 {{ fill: #56d4dd }}
</style>
<rect width="100%" height="100%" rx="8" fill="#161b22"/>
{3}</svg>
)",
      pixels, y + kMargin, kFontSize, body);
}

}  // namespace cnsched::test
