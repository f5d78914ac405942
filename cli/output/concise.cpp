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
    out << fmt::format("{}:{}:{}: {}: {} [{}]{}\n", printable(file.path()), at.line, at.column,
                       style(paint_of(finding.severity), name_of(finding.severity)),
                       finding.message, finding.rule, mark);
  }
}

}  // namespace cnsched::cli
