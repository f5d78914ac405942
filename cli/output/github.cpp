// `::error file=F,line=L,…::MESSAGE`: GitHub's runner executes such a line of a step's output as a
// command. Escapes as in actions/toolkit, packages/core/src/command.ts.
#include <fmt/format.h>

#include "cli/output/message_text.h"
#include "cli/output/output.h"
#include "cli/output/uri.h"
#include "core/base/text.h"
#include "core/source/path.h"

namespace cnsched::cli {

namespace {

std::string escaped(std::string_view text, std::string_view characters) {
  return percent_encoded(text,
                         [&](char c) { return characters.find(c) != std::string_view::npos; });
}

std::string escaped_data(std::string_view text) { return escaped(text, "%\r\n"); }
std::string escaped_property(std::string_view text) { return escaped(printable(text), "%\r\n:,"); }

std::string_view command_for(Severity severity) {
  return severity == Severity::info ? "notice" : name_of(severity);
}

}  // namespace

void write_github(const Outcome& outcome, std::ostream& out) {
  RepositoryPaths paths;
  for (const Diagnostic& finding : outcome.findings) {
    const SourceFile& file = outcome.workspace.file_of(finding.where);
    const Region region = region_of(file, finding.where);
    const std::string path = paths.of(file.path());
    // The runner's log shows only the message, so the message includes the place.
    const std::string message = fmt::format("{}:{}:{}: {}", printable(path), region.line,
                                            region.column, message_text(finding, "\n"));
    out << fmt::format("::{} title={},file={},line={},endLine={},col={},endColumn={}::{}\n",
                       command_for(finding.severity),
                       escaped_property(fmt::format("cnsched ({})", finding.rule)),
                       escaped_property(path), region.line, region.line, region.column,
                       region.end_column, escaped_data(message));
  }
  for (const Unreadable& unread : omissions_of(outcome)) {
    out << fmt::format("::error title=cnsched::{}: {}\n", escaped_data(printable(place_of(unread))),
                       escaped_data(printable(unread.reason)));
  }
}

}  // namespace cnsched::cli
