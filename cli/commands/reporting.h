#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands/options.h"
#include "cli/output/output.h"

namespace cnsched::cli {

/// One --report FORMAT=FILE.
struct ReportFile {
  const Format* format = nullptr;
  std::string path;
};

/// The reports to write.
struct ReportingOptions {
  const Format* format = &all_formats().front();  ///< on standard output
  std::vector<ReportFile> reports;
};

void declare_reporting(Command& command, ReportingOptions& options);

/// Whether a report includes documents that are out of scope.
bool shows_out_of_scope(const ReportingOptions& options);

/// Rejects reports that would overwrite each other or an input file.
std::optional<Exit> reject_reports(const Workspace& workspace, const ReportingOptions& options,
                                   Console& console);

/// Appends to the summary of the step of GitHub Actions, to which other tools may have written.
/// Outside of a step it does nothing. Reports and returns false if it cannot be written.
bool append_step_summary(std::string_view markdown, Console& console);

/// Writes all reports and, in GitHub Actions, the step's summary. Reports and returns false if one
/// cannot be written.
bool write_reports(const Outcome& outcome, const ReportingOptions& options,
                   const MessageOptions& messages, Console& console);

}  // namespace cnsched::cli
