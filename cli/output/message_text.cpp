#include "cli/output/message_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

namespace cnsched::cli {

Region region_of(const SourceFile& file, Span span) {
  const Position begin = file.position(span.begin);
  const std::size_t line_end = file.line_start(begin.line) + file.line(begin.line).size();
  const auto end = std::max(span.begin, std::min(span.end, static_cast<std::uint32_t>(line_end)));
  return {begin.line, begin.column, std::max(file.position(end).column, begin.column + 1)};
}

ReportedFile reported_file(const Workspace& workspace, const Diagnostic& finding) {
  const bool is_rendered =
      workspace.is_rendered(finding.where.file) && !finding.rendered_from.empty();
  if (is_rendered) return {finding.rendered_from, false};
  return {workspace.file_of(finding.where).path()};
}

std::string message_text(const Diagnostic& finding, std::string_view separator) {
  std::string text = printable(finding.message);
  if (!finding.help.empty()) {
    text.append(separator).append("help: ").append(printable(finding.help));
  }
  if (separator == "\n" && !finding.snippet.empty()) {
    for (const std::string_view line : split(finding.snippet, '\n')) {
      text.append("\n").append(printable(line));
    }
  }
  if (!finding.expired.empty()) text.append(separator).append(expiry_of(finding));
  return text;
}

std::string expiry_of(const Diagnostic& finding) {
  return fmt::format("the suppression expired on {}", finding.expired);
}

}  // namespace cnsched::cli
