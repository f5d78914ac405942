#include "cli/commands/commands.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/commands/lint_fix.h"
#include "cli/commands/reading.h"
#include "cli/commands/reporting.h"
#include "cli/commands/suppression.h"
#include "cli/output/output.h"
#include "cli/progress.h"
#include "core/base/text.h"
#include "rules/engine/run.h"

namespace cnsched::cli {

namespace {

struct LintOptions {
  MessageOptions messages;
  InputOptions input;
  rules::SelectionOptions selection;
  FixOptions fixes;
  ReportingOptions reporting;
  SuppressionOptions suppression;
  Severity fail_on = Severity::warning;
  bool exit_zero = false;
  bool show_files = false;
  bool statistics = false;
  std::size_t min_objects = 0;
  std::size_t max_findings = rules::kMaxFindings;
};

/// The selected rules, in the order of the rule table.
std::vector<rules::Listed> chosen(const rules::Selection& selection) {
  std::vector<rules::Listed> result;
  std::ranges::copy_if(selection.rules().all(), std::back_inserter(result),
                       [&](const rules::Listed& each) { return selection.runs(each.rule->id); });
  return result;
}

/// Counts all findings, including those that are not shown.
void write_summary(const Outcome& outcome, const Discovered& found, const LintOptions& options,
                   Console& console) {
  std::ostream& err = console.err;
  const Totals totals = totals_of(outcome.findings);
  if (options.statistics) write_statistics(outcome.findings, err);
  if (!outcome.findings.empty()) {
    err << "found " << describe(totals);
    const std::string fixable = describe_fixes(outcome.findings);
    if (!fixable.empty()) err << "; " << fixable;
    err << '\n';
  }
  report_coverage(found, outcome.workspace, "lint", options.messages.verbose, console);
  err << describe(outcome.workspace.stats()) << '\n';
}

/// For people only: in a log, a clean run is silent about findings.
void report_success(const LintOptions& options, const Outcome& outcome, Exit exit,
                    Console& console) {
  const bool clean =
      exit == Exit::clean && outcome.findings.empty() && outcome.workspace.stats().objects > 0;
  if (clean && console.err_is_terminal && !options.messages.quiet) {
    console.err << "no problems found\n";
  }
}

/// Whether the findings, or too few objects, make the exit code 1.
bool fails(const LintOptions& options, const std::vector<Diagnostic>& findings,
           const RunStats& stats, Console& console) {
  const bool has_few = stats.objects < options.min_objects;
  if (has_few) {
    say_error(
        console,
        fmt::format("checked {}, fewer than --min-objects {} (-v shows how each file was handled)",
                    count_of(stats.objects, "object"), options.min_objects));
  }
  if (options.exit_zero || !options.suppression.write_baseline.empty()) return false;
  return has_few || std::ranges::any_of(findings, [&](const Diagnostic& d) {
           return !d.suppression && d.severity >= options.fail_on;
         });
}

Exit show_files(const LintOptions& options, LoadedProject& project, Console& console) {
  discover_files(options.input, project);
  const Discovered& found = project.found;
  const auto failed = open_configs(options.input.facts, found.files, project, console);
  if (failed) return *failed;
  for (const std::string& path : found.files) console.out << printable(path) << '\n';
  if (!options.messages.quiet) report_skipped(found, console);
  return exit_of(report_unreadable(found.unreadable, console), false);
}

/// Why the options cannot be combined; empty if they can.
std::string problem_with(const LintOptions& options) {
  const bool writes =
      !options.reporting.reports.empty() || !options.suppression.write_baseline.empty();
  if (options.fixes.diff && writes) {
    return "--diff reports no findings: remove --report and --write-baseline";
  }
  return problem_with(options.fixes);
}

/// Finds, fixes and reports, after everything has been read.
class LintRun {
 public:
  LintRun(const LintOptions& options, const LoadedProject& project,
          const rules::SuppressionSettings& suppression, Console& console)
      : options_(options), project_(project), suppression_(suppression), console_(console) {
    const std::vector<std::string>& files = project.found.files;
    if (!options.fixes.fix || std::ranges::find(files, "-") == files.end()) return;
    stdin_name_ = name_of_stdin(options.input);
    // Standard output has the fixed text.
    errors_.emplace(Console{.out = console.err,
                            .err = console.err,
                            .out_is_terminal = console.err_is_terminal,
                            .err_is_terminal = console.err_is_terminal,
                            .width = console.width});
  }

  Exit run() {
    const rules::Find find = [&](const Workspace& workspace) { return findings_in(workspace); };
    rules::FixResult fixed;
    if (options_.fixes.any()) {
      fixed = rules::fix_all(before_, find(before_), options_.fixes.least(), find);
    } else {
      fixed.take(find(before_));
    }
    if (options_.fixes.diff) return show_changes(fixed);
    const bool written = !options_.fixes.fix || write_fixes(fixed, before_, find, stdin_name_,
                                                            options_.messages.quiet, console_);
    if (!stdin_name_.empty()) print_fixed_stdin(fixed, before_, stdin_name_, console_);
    return report(fixed.workspace ? *fixed.workspace : before_, fixed, written);
  }

 private:
  rules::RunResult findings_in(const Workspace& workspace) const {
    return rules::run(workspace, project_.selection, project_.rules().all(), suppression_,
                      options_.max_findings);
  }

  Exit show_changes(const rules::FixResult& fixed) {
    const bool differs = show_diff(fixed, before_, options_.messages.quiet, console_);
    console_.out.flush();
    return exit_of(report_unread(before_, fixed), differs && !options_.exit_zero);
  }

  /// Prints what was not read, and that findings were left out. Returns whether there was anything.
  bool report_unread(const Workspace& workspace, const rules::FixResult& fixed) {
    std::vector<Unreadable> unread = workspace.unreadable();
    if (fixed.left_out) unread.push_back(*fixed.left_out);
    return report_unreadable(unread, console_);
  }

  /// What is left after all fixes.
  Exit report(const Workspace& workspace, rules::FixResult& fixed, bool written) {
    const bool quiet = options_.messages.quiet;
    std::vector<Diagnostic>& findings = fixed.findings;
    const bool settled =
        update_baseline(options_.suppression, suppression_, workspace, project_.selection, quiet,
                        findings, !fixed.left_out, console_);
    const std::vector<Diagnostic> shown = shown_findings(options_.suppression, findings);
    const bool reported =
        write_reports({.workspace = workspace,
                       .findings = shown,
                       .rules = chosen(project_.selection),
                       .fail_on = options_.fail_on,
                       .left_out = fixed.left_out},
                      options_.reporting, options_.messages, errors_ ? *errors_ : console_);
    if (options_.messages.verbose) {
      report_documents(project_, workspace, console_);
      report_unevaluated(workspace, console_);
    }
    const bool is_unread = report_unread(workspace, fixed);
    const Outcome left{workspace, findings};
    if (!quiet) write_summary(left, project_.found, options_, console_);
    const bool failed = fails(options_, findings, workspace.stats(), console_);
    const Exit exit = exit_of(is_unread || !written || !settled || !reported, failed);
    report_success(options_, left, exit, console_);
    return exit;
  }

  const LintOptions& options_;
  const LoadedProject& project_;
  const Workspace& before_ = project_.workspace;
  const rules::SuppressionSettings& suppression_;
  Console& console_;
  std::string stdin_name_;         ///< if --fix prints it; otherwise empty
  std::optional<Console> errors_;  ///< for reports that go to standard error
};

Exit lint(const LintOptions& options, Console& console) {
  ProgressLine line(console, options.messages.quiet);
  auto& project = console.keep<LoadedProject>();
  const auto suppression = read_suppression(options.suppression, console);
  if (!suppression) return Exit::usage;
  if (options.show_files) return show_files(options, project, console);
  const std::string problem = problem_with(options);
  if (!problem.empty()) return fail(console, problem);
  const bool needs_texts = shows_out_of_scope(options.reporting) || options.fixes.any();
  const Opening opening = opening_of(options.input, options.messages, needs_texts);
  auto failed = open_project(opening, options.selection, project, console);
  if (!failed) failed = reject_reports(project.workspace, options.reporting, console);
  if (failed) return *failed;
  return LintRun(options, project, *suppression, console).run();
}

}  // namespace

void declare_lint(Command& command) {
  auto& options = command.runs(lint);
  declare_input(command, options.input);
  ArgumentGroup input = command.group("Input");
  input.flag("--show-files", options.show_files, "list the files to lint, and exit");
  constexpr std::size_t kMax = 1'000'000'000;
  input.number("--min-objects", "N", options.min_objects, 0, kMax,
               "exit with 1 if fewer objects are checked");
  declare_limits(command, options.input.facts.limits);
  command.group("Limits").number(
      rules::kFindingsFlag, "N", options.max_findings, 1, kMax,
      fmt::format("keep at most this many findings (default: {})", rules::kMaxFindings));

  declare_selection(command, options.selection);
  declare_fixes(command, options.fixes);
  declare_suppression(command, options.suppression);

  declare_reporting(command, options.reporting);
  ArgumentGroup output = command.group("Output");
  output.flag("--statistics", options.statistics,
              "count the findings of each rule, and how many are fixable");
  declare_fail_on(command, options.fail_on,
                  "least severity that makes the exit code 1: {0} (default: {1})");
  output.flag("--exit-zero", options.exit_zero, "exit with 0 even if there are findings");
  declare_messages(command, options.messages);
  declare_verbose(command, options.messages, "show how each file and document was handled");
}

}  // namespace cnsched::cli
