#pragma once

#include "cli/commands/input.h"
#include "cli/commands/lint_fix.h"
#include "cli/commands/reporting.h"
#include "cli/commands/suppression.h"
#include "rules/engine/run.h"
#include "rules/engine/selection.h"

namespace cnsched::cli {

struct LintOptions {
  MessageOptions messages;
  InputOptions input;
  rules::SelectionOptions selection;
  FixOptions fixes;
  ReportingOptions reporting;
  SuppressionOptions suppression;
  std::string fail_on = "warning";
  bool exit_zero = false;
  bool show_files = false;
  bool statistics = false;
  std::size_t min_objects = 0;
  std::size_t max_findings = rules::kMaxFindings;
};

/// Declares the flags that select rules and set their severities.
void declare_selection(Command& command, rules::SelectionOptions& options);
void declare_lint(Command& command, LintOptions& options);
Exit lint(const LintOptions& options, Console& console);

}  // namespace cnsched::cli
