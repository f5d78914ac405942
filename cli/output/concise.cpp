#include <fmt/format.h>

#include "cli/output/output.h"
#include "cli/output/style.h"
#include "core/base/text.h"

namespace cnsched::cli {

void write_concise(const Outcome& outcome, bool colored, std::ostream& out) {
  const Style style(colored);
  for (const Diagnostic& finding : outcome.findings) {
    const SourceFile& file = outcome.workspace.file_of(finding.where);
    const Position at = file.position(finding.where.begin);
    const std::string mark = finding.suppression
                                 ? fmt::format(" (suppressed {})", describe(*finding.suppression))
                                 : std::string();
    out << fmt::format("{}:{}:{}: {}: {} [{}]{}\n", printable(file.path()), at.line, at.column,
                       style(paint_of(finding.severity), name_of(finding.severity)),
                       finding.message, finding.rule, mark);
  }
}

}  // namespace cnsched::cli
