#include <fmt/format.h>

#include "cli/output/message_text.h"
#include "cli/output/output.h"
#include "cli/output/style.h"
#include "core/base/text.h"

namespace cnsched::cli {

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
