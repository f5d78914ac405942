#include "cli/output/told.h"

#include <algorithm>

#include "core/base/text.h"

namespace cnsched::cli {

namespace {

std::string_view word_for(Suppression::By by) {
  switch (by) {
    case Suppression::By::comment:
      return "suppressed by a comment";
    case Suppression::By::annotation:
      return "suppressed by an annotation";
    case Suppression::By::baseline:
      break;
  }
  return "suppressed by the baseline";
}

}  // namespace

Region region_of(const SourceFile& file, Span span) {
  const Position begin = file.position(span.begin);
  const std::size_t line_end = file.line_start(begin.line) + file.line(begin.line).size();
  const auto end = std::max(span.begin, std::min(span.end, static_cast<std::uint32_t>(line_end)));
  return {begin.line, begin.column, std::max(file.position(end).column, begin.column + 1)};
}

Severity weight_of(const Diagnostic& finding) {
  return finding.suppression ? Severity::info : finding.severity;
}

std::string text_of(const Diagnostic& finding, std::string_view separator) {
  std::string text = printable(finding.message);
  if (!finding.help.empty())
    text.append(separator).append("help: ").append(printable(finding.help));
  if (finding.suppression) {
    text.append(separator).append(word_for(finding.suppression->by));
    const std::string& reason = finding.suppression->reason;
    if (!reason.empty()) text.append(": ").append(printable(reason));
  }
  return text;
}

}  // namespace cnsched::cli
