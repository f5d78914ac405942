// `::error file=F,line=L,…::MESSAGE`: what a step prints on a line of its own is a command to
// GitHub's runner. Escapes as in actions/toolkit, packages/core/src/command.ts.
#include <fmt/format.h>

#include "cli/output/output.h"
#include "cli/output/told.h"
#include "core/base/text.h"
#include "core/source/repository_path.h"

namespace cnsched::cli {

namespace {

/// Each of `characters` as %XX.
std::string escaped(std::string_view text, std::string_view characters) {
  std::string result;
  for (const char c : text) {
    if (characters.find(c) == std::string_view::npos) {
      result += c;
    } else {
      result += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return result;
}

std::string escaped_data(std::string_view text) { return escaped(text, "%\r\n"); }
std::string escaped_property(std::string_view text) { return escaped(printable(text), "%\r\n:,"); }

std::string_view command_for(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "error";
    case Severity::warning:
      return "warning";
    case Severity::info:
      break;
  }
  return "notice";
}

}  // namespace

void write_github(const Outcome& outcome, std::ostream& out) {
  RepositoryPaths paths;
  for (const Diagnostic& finding : outcome.findings) {
    const SourceFile& file = outcome.workspace.file_of(finding.where);
    const Region region = region_of(file, finding.where);
    const std::string path = paths.of(file.path());
    // The runner's log shows the message alone, so it tells the place as well.
    const std::string message = fmt::format("{}:{}:{}: {}", printable(path), region.line,
                                            region.column, text_of(finding, "\n"));
    out << fmt::format("::{} title={},file={},line={},endLine={},col={},endColumn={}::{}\n",
                       command_for(finding.severity),
                       escaped_property(fmt::format("cnsched ({})", finding.rule)),
                       escaped_property(path), region.line, region.line, region.column,
                       region.end_column, escaped_data(message));
  }
  for (const Unreadable& unread : outcome.workspace.unreadable()) {
    out << fmt::format("::error title=cnsched::{}: {}\n", escaped_data(printable(unread.path)),
                       escaped_data(printable(unread.reason)));
  }
}

}  // namespace cnsched::cli
