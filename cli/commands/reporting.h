#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands/input.h"
#include "cli/output/output.h"

namespace cnsched::cli {

/// Which reports a run gives.
struct ReportingOptions {
  std::string format = "pretty";     ///< on standard output
  std::vector<std::string> reports;  ///< FORMAT=FILE
};

void declare_reporting(CLI::App& command, ReportingOptions& options);

/// Whether one of them speaks of documents that are out of scope.
bool tells_out_of_scope(const ReportingOptions& options);

/// Refuses, with the exit code, reports that would overwrite each other or what was read.
std::optional<Exit> refuse_reports(const Workspace& run, const ReportingOptions& options,
                                   Console& console);

/// Writes all reports; in GitHub Actions the step's summary too. False if one could not be written,
/// which is then told.
bool write_reports(const Outcome& outcome, const ReportingOptions& options, const TalkOptions& talk,
                   Console& console);

}  // namespace cnsched::cli
