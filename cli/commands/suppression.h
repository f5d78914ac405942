#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/console.h"
#include "core/diag/diagnostic.h"
#include "core/workspace/workspace.h"
#include "rules/engine/selection.h"
#include "rules/engine/suppress.h"

namespace cnsched::cli {

/// The options that suppress findings.
struct SuppressionOptions {
  bool no_inline_ignores = false;
  std::string baseline;
  std::string write_baseline;
  bool show_suppressed = false;
};

void declare_suppression(Command& command, SuppressionOptions& options);

/// Reads the clock (or SOURCE_DATE_EPOCH) and the baseline. Nothing, after an error message, if one
/// of them is invalid.
std::optional<rules::SuppressionSettings> read_suppression(const SuppressionOptions& options,
                                                           Console& console);

/// Reports on stderr how many entries of the baseline are stale, and writes the new baseline that
/// the options request, whose findings it marks. Writes none if `are_all` is false, because
/// findings were left out. False, after an error message, if the baseline is not written.
bool update_baseline(const SuppressionOptions& options, const rules::SuppressionSettings& settings,
                     const Workspace& workspace, const rules::Selection& selection, bool quiet,
                     std::vector<Diagnostic>& findings, bool are_all, Console& console);

/// The findings to show: without the suppressed ones, unless --show-suppressed is given.
std::vector<Diagnostic> shown_findings(const SuppressionOptions& options,
                                       std::vector<Diagnostic> findings);

}  // namespace cnsched::cli
