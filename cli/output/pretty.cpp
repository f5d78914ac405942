// error[rule-id]: message
//   --> file:line:column, object
//    |
// 12 |     the line itself
//    |         ^^^^
//    = note: another place
//    |
// 20 |     that place's line
//    |     ----
//    = help: what to write instead
//    = fix: what --fix would do

#include <fmt/format.h>

#include <algorithm>

#include "cli/output/output.h"
#include "cli/output/style.h"
#include "core/base/text.h"

namespace cnsched::cli {

namespace {

constexpr std::size_t kTabWidth = 4;
constexpr std::string_view kEllipsis = "…";

/// `raw` with tabs as spaces and unprintable characters as escapes.
std::string shown(std::string_view raw) {
  std::string text;
  while (!raw.empty()) {
    const std::size_t tab = raw.find('\t');
    text += printable(raw.substr(0, tab));
    if (tab == std::string_view::npos) break;
    text.append(kTabWidth, ' ');
    raw.remove_prefix(tab + 1);
  }
  return text;
}

/// Cuts `columns` columns from the front of `text`.
std::string_view without_columns(std::string_view text, std::size_t columns) {
  while (!text.empty() && columns > 0) {
    const std::size_t bytes = std::max<std::size_t>(utf8_length(text), 1);
    columns -= std::min(columns, display_width(text.substr(0, bytes)));
    text.remove_prefix(bytes);
  }
  return text;
}

/// The first `columns` columns of `text`.
std::string_view first_columns(std::string_view text, std::size_t columns) {
  std::size_t bytes = 0;
  std::size_t used = 0;
  while (bytes < text.size()) {
    const std::size_t length = std::max<std::size_t>(utf8_length(text.substr(bytes)), 1);
    const std::size_t width = display_width(text.substr(bytes, length));
    if (used + width > columns) break;
    used += width;
    bytes += length;
  }
  return text.substr(0, bytes);
}

/// Cuts a long line (for example minified JSON) to `width` columns around the span.
void crop(Excerpt& excerpt, std::size_t width) {
  const std::string line = std::move(excerpt.text);
  const std::size_t columns = display_width(line);
  const std::size_t room = width - 2;  // an ellipsis on either side
  const bool at_front = excerpt.caret + excerpt.caret_size <= room;
  const std::size_t wanted = at_front ? 0 : excerpt.caret - std::min(excerpt.caret, room / 3);
  const std::string_view rest = without_columns(line, std::min(wanted, columns - room));
  // Wide characters are removed as a whole, so more columns may be removed than requested.
  const std::size_t removed = columns - display_width(rest);
  excerpt.text.clear();
  if (removed > 0) {
    excerpt.text = kEllipsis;
    excerpt.caret = excerpt.caret - removed + 1;
  }
  const std::string_view window = first_columns(rest, room);
  excerpt.text += window;
  if (window.size() < rest.size()) excerpt.text += kEllipsis;
  excerpt.caret_size = std::min(excerpt.caret_size, width - std::min(width - 1, excerpt.caret));
}

class PrettyPage {
 public:
  PrettyPage(const Workspace& workspace, std::size_t width, bool colored, std::ostream& out)
      : workspace_(workspace), width_(width), style_(colored), out_(out) {}

  void write(const Diagnostic& finding) {
    gutter_ = gutter_width(finding);
    const Paint paint = paint_of(finding.severity);
    headline(finding, paint);
    location(finding);
    excerpt(finding.where, '^', paint);
    FileId file = finding.where.file;
    std::optional<Span> last;
    for (const Note& note : finding.notes) {
      remark("note", Paint::note, note.message);
      if (note.where.file != file) arrow(":::", note.where, "");
      file = note.where.file;
      if (note.where != last) excerpt(note.where, '-', Paint::note);
      last = note.where;
    }
    advice(finding);
    if (finding.suppression) {
      remark("suppressed", Paint::note, describe(*finding.suppression));
    }
    out_ << '\n';
  }

 private:
  std::size_t gutter_width(const Diagnostic& finding) const {
    std::size_t last = line_of(finding.where);
    for (const Note& note : finding.notes) last = std::max(last, line_of(note.where));
    return fmt::formatted_size("{}", last);
  }

  std::size_t line_of(Span span) const { return workspace_.file_of(span).line_of(span.begin); }

  void headline(const Diagnostic& finding, Paint paint) {
    const std::string label = fmt::format("{}[{}]", name_of(finding.severity), finding.rule);
    const std::string text = fmt::format("{}: {}", label, finding.message);
    std::vector<std::string> lines = wrap(text, width_);
    constexpr std::string_view kIndent = "  ";
    if (lines.size() > 1) {
      const std::string_view rest = std::string_view(text).substr(lines.front().size() + 1);
      lines.resize(1);
      for (const std::string& line : wrap(rest, width_ - kIndent.size())) {
        lines.push_back(std::string(kIndent) + line);
      }
    }
    out_ << style_(paint, label);
    out_ << style_(Paint::strong, std::string_view(lines.front()).substr(label.size())) << '\n';
    for (std::size_t i = 1; i < lines.size(); ++i) out_ << style_(Paint::strong, lines[i]) << '\n';
  }

  void location(const Diagnostic& finding) {
    arrow("-->", finding.where, describe(finding.subject));
    if (!finding.rendered_from.empty()) {
      bar("=", fmt::format("{}: {}", style_(Paint::note, "rendered from"),
                           printable(finding.rendered_from)));
    }
  }

  void arrow(std::string_view sign, Span where, const std::string& about) {
    const SourceFile& file = workspace_.file_of(where);
    const Position at = file.position(where.begin);
    out_ << fmt::format("{:{}}{} {}:{}:{}{}{}\n", "", gutter_, style_(Paint::gutter, sign),
                        printable(file.path()), at.line, at.column, about.empty() ? "" : "  ",
                        about);
  }

  void bar(std::string_view sign, std::string_view text) {
    out_ << fmt::format("{:{}} {}", "", gutter_, style_(Paint::gutter, sign));
    if (!text.empty()) out_ << ' ' << text;
    out_ << '\n';
  }

  void excerpt(Span where, char mark, Paint paint) {
    const Excerpt excerpt = excerpt_of(workspace_.file_of(where), where, width_ - gutter_ - 3);
    bar("|", "");
    out_ << fmt::format("{} {} {}\n",
                        style_(Paint::gutter, fmt::format("{:>{}}", excerpt.line, gutter_)),
                        style_(Paint::gutter, "|"), excerpt.text);
    bar("|",
        std::string(excerpt.caret, ' ') + style_(paint, std::string(excerpt.caret_size, mark)));
  }

  void advice(const Diagnostic& finding) {
    const bool helped = !finding.help.empty();
    if (!finding.fix) {
      if (helped) remark("help", Paint::help, finding.help);
      snippet(finding.snippet);
      return;
    }
    const Fix& fix = *finding.fix;
    if (helped && finding.help != fix.title) remark("help", Paint::help, finding.help);
    const char* flags = fix.safety == Safety::safe ? "--fix" : "--fix --unsafe-fixes";
    remark("fix", Paint::help, fmt::format("{} ({} applies it)", fix.title, flags));
  }

  /// Not wrapped: it can be copied.
  void snippet(const std::string& lines) {
    if (lines.empty()) return;
    out_ << '\n';
    for (const std::string_view line : split(lines, '\n')) out_ << printable(line) << '\n';
  }

  void remark(std::string_view label, Paint paint, const std::string& text) {
    const std::size_t indent = label.size() + 2;
    const auto lines = wrap(text, width_ - gutter_ - 3 - indent);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (i == 0) {
        bar("=", fmt::format("{}: {}", style_(paint, label), lines[i]));
      } else {
        out_ << fmt::format("{:{}}{}\n", "", gutter_ + 3 + indent, lines[i]);
      }
    }
  }

  const Workspace& workspace_;
  std::size_t width_;
  Style style_;
  std::ostream& out_;
  std::size_t gutter_ = 1;
};

}  // namespace

Excerpt excerpt_of(const SourceFile& file, Span span, std::size_t width) {
  Excerpt excerpt;
  excerpt.line = file.line_of(span.begin);
  std::string_view raw = file.line(excerpt.line);
  std::size_t begin = span.begin - file.line_start(excerpt.line);
  if (excerpt.line == 1 && raw.starts_with(kByteOrderMark)) {
    raw.remove_prefix(kByteOrderMark.size());
    begin -= std::min(begin, kByteOrderMark.size());
  }
  begin = std::min(begin, raw.size());
  // A minified document is one line of megabytes: read no more than can be shown.
  const std::size_t reach = 8 * width;
  const auto continues = [&](std::size_t at) {
    return at < raw.size() && (static_cast<unsigned char>(raw[at]) & 0xC0U) == 0x80U;
  };
  std::size_t from = begin - std::min(begin, reach);
  while (from > 0 && continues(from)) --from;
  std::size_t to = std::min(raw.size(), begin + reach);
  while (to > begin && continues(to)) --to;
  raw = raw.substr(from, to - from);
  begin -= from;
  const std::size_t length = std::min<std::size_t>(span.end - span.begin, raw.size() - begin);

  excerpt.caret = display_width(shown(raw.substr(0, begin)));
  excerpt.caret_size = std::max<std::size_t>(1, display_width(shown(raw.substr(begin, length))));
  excerpt.text = shown(raw);
  if (display_width(excerpt.text) > width) crop(excerpt, width);
  return excerpt;
}

void write_pretty(const Outcome& outcome, std::size_t width, bool colored, std::ostream& out) {
  PrettyPage page(outcome.workspace, width, colored, out);
  for (const Diagnostic& finding : outcome.findings) page.write(finding);
}

void write_concise(const Outcome& outcome, bool colored, std::ostream& out) {
  const Style style(colored);
  for (const Diagnostic& finding : outcome.findings) {
    const SourceFile& file = outcome.workspace.file_of(finding.where);
    const Position at = file.position(finding.where.begin);
    std::string mark;
    if (finding.suppression) mark = fmt::format(" (suppressed {})", describe(*finding.suppression));
    if (!finding.expired.empty()) mark = fmt::format(" ({})", expiry_of(finding));
    const std::string place = fmt::format("{}:{}:{}", printable(file.path()), at.line, at.column);
    const ReportedFile shown = reported_file(outcome.workspace, finding);
    if (!shown.has_line) mark += fmt::format(" (rendered as {})", place);
    out << fmt::format("{}: {}: {} [{}]{}\n", shown.has_line ? place : printable(shown.path),
                       style(paint_of(finding.severity), name_of(finding.severity)),
                       finding.message, finding.rule, mark);
  }
}

}  // namespace cnsched::cli
