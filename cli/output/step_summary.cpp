// GitHub shows ten annotations of each kind per step. The table in the step's summary contains all
// findings, up to the size limit of a summary.
#include <fmt/format.h>

#include "cli/output/markdown.h"
#include "cli/output/message_text.h"
#include "cli/output/output.h"
#include "core/base/text.h"
#include "core/source/path.h"

namespace cnsched::cli {

namespace {

/// GitHub does not show summaries above one megabyte, which all steps share.
constexpr std::size_t kMaxSummaryBytes = std::size_t{512} << 10;

std::string cell(std::string_view text) { return markdown_text(printable(text)); }

/// `place` is a path, perhaps with a line.
std::string row_of(const Diagnostic& finding, const std::string& place) {
  return fmt::format("| {} | {} | {} | {} |\n", name_of(finding.severity), cell(place),
                     cell(finding.rule), cell(message_text(finding, "; ")));
}

}  // namespace

void write_step_summary(const Outcome& outcome, std::ostream& out) {
  const std::string totals = describe(totals_of(outcome.findings));
  out << "### cnsched\n\n" << (totals.empty() ? "no findings" : totals) << '\n';
  RepositoryPaths paths;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < outcome.findings.size(); ++i) {
    const Diagnostic& finding = outcome.findings[i];
    const SourceFile& file = outcome.workspace.file_of(finding.where);
    const ReportedFile shown = reported_file(outcome.workspace, finding);
    std::string place = paths.of(shown.path);
    if (shown.has_line) place += fmt::format(":{}", file.line_of(finding.where.begin));
    const std::string row = row_of(finding, place);
    bytes += row.size();
    if (bytes > kMaxSummaryBytes) {
      out << fmt::format("\n{} more\n", outcome.findings.size() - i);
      break;
    }
    if (i == 0) out << "\n| severity | place | rule | finding |\n|---|---|---|---|\n";
    out << row;
  }
  for (const Unreadable& unread : omissions_of(outcome)) {
    out << fmt::format("\n{}: {}\n", cell(place_of(unread)), cell(unread.reason));
  }
  out << '\n' << describe(outcome.workspace.stats()) << '\n';
}

}  // namespace cnsched::cli
