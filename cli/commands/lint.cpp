#include "cli/commands/lint.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/output/output.h"
#include "cli/output/statistics.h"
#include "cli/progress.h"
#include "core/base/text.h"
#include "rules/engine/run.h"

namespace cnsched::cli {

namespace {

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
  const RunStats& stats = outcome.workspace.stats();
  if (options.statistics) write_statistics(outcome.findings, err);
  if (!outcome.findings.empty()) {
    err << "found " << describe(totals);
    const std::string fixable = describe_fixes(outcome.findings);
    if (!fixable.empty()) err << "; " << fixable;
    err << '\n';
  }
  report_nothing(found, stats, console);
  report_unfollowed(outcome.workspace, "lint", console);
  err << describe(stats) << '\n';
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

Exit exit_code(const LintOptions& options, const std::vector<Diagnostic>& findings,
               const RunStats& stats, bool incomplete, Console& console) {
  const auto gate = rules::severity_named(options.fail_on);
  bool failed = gate && std::ranges::any_of(findings, [&](const Diagnostic& d) {
                  return !d.suppression && d.severity >= *gate;
                });
  if (stats.objects < options.min_objects) {
    say_error(
        console,
        fmt::format("checked {}, fewer than --min-objects {} (-v shows how each file was handled)",
                    count_of(stats.objects, "object"), options.min_objects));
    failed = true;
  }
  if (incomplete) return Exit::failure;
  const bool passes = options.exit_zero || !options.suppression.write_baseline.empty();
  return failed && !passes ? Exit::findings : Exit::clean;
}

Exit show_files(const LintOptions& options, const Discovered& found, Opened& opened,
                Console& console) {
  const auto failed = open_configs(options.input.facts, found.files, opened, console);
  if (failed) return *failed;
  for (const std::string& path : found.files) console.out << printable(path) << '\n';
  if (!options.messages.quiet) report_skipped(found, console);
  return report_unreadable(found.unreadable, console) ? Exit::failure : Exit::clean;
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

/// Fixes need the texts of all documents.
OutOfScope out_of_scope_for(const LintOptions& options) {
  const bool shows = options.messages.verbose || shows_out_of_scope(options.reporting);
  return shows || options.fixes.any() ? OutOfScope::kept : OutOfScope::counted;
}

/// Finds, fixes and reports, after everything has been read.
class LintRun {
 public:
  LintRun(const LintOptions& options, const Discovered& found, const Opened& opened,
          rules::Selection selection, rules::SuppressionSettings suppression, Console& console)
      : options_(options),
        found_(found),
        before_(opened.workspace),
        selection_(std::move(selection)),
        suppression_(std::move(suppression)),
        console_(console) {
    selection_.follow(opened.configs);
    if (!options.fixes.fix || std::ranges::find(found.files, "-") == found.files.end()) return;
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
    rules::Fixed fixed;
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
  rules::Found findings_in(const Workspace& workspace) const {
    return rules::run(workspace, selection_, selection_.rules().all(), suppression_,
                      options_.max_findings);
  }

  Exit show_changes(const rules::Fixed& fixed) {
    const bool differs = show_diff(fixed, before_, options_.messages.quiet, console_);
    console_.out.flush();
    bool incomplete = report_unreadable(before_.unreadable(), console_);
    if (fixed.left_out) incomplete = report_unreadable({*fixed.left_out}, console_);
    if (incomplete) return Exit::failure;
    return differs && !options_.exit_zero ? Exit::findings : Exit::clean;
  }

  /// What is left after all fixes.
  Exit report(const Workspace& workspace, rules::Fixed& fixed, bool written) {
    const bool quiet = options_.messages.quiet;
    std::vector<Diagnostic>& findings = fixed.findings;
    const bool settled = update_baseline(options_.suppression, suppression_, workspace, selection_,
                                         quiet, findings, !fixed.left_out, console_);
    const std::vector<Diagnostic> shown = shown_findings(options_.suppression, findings);
    const bool reported =
        write_reports({.workspace = workspace,
                       .findings = shown,
                       .rules = chosen(selection_),
                       .fail_on = *rules::severity_named(options_.fail_on),
                       .left_out = fixed.left_out},
                      options_.reporting, options_.messages, errors_ ? *errors_ : console_);
    if (options_.messages.verbose) {
      report_documents(found_, workspace, console_);
      report_scopes(workspace, console_);
      report_unevaluated(workspace, console_);
    }
    bool unreadable = report_unreadable(workspace.unreadable(), console_);
    if (fixed.left_out) unreadable = report_unreadable({*fixed.left_out}, console_);
    if (!quiet) write_summary({workspace, findings}, found_, options_, console_);
    const bool incomplete = unreadable || !written || !settled || !reported;
    const Exit exit = exit_code(options_, findings, workspace.stats(), incomplete, console_);
    report_success(options_, {workspace, findings}, exit, console_);
    return exit;
  }

  const LintOptions& options_;
  const Discovered& found_;
  const Workspace& before_;
  rules::Selection selection_;
  rules::SuppressionSettings suppression_;
  Console& console_;
  std::string stdin_name_;         ///< if --fix prints it; otherwise empty
  std::optional<Console> errors_;  ///< for reports that go to standard error
};

}  // namespace

void declare_selection(Command& command, rules::SelectionOptions& options) {
  ArgumentGroup rules = command.group("Rules");
  rules.list("--select", "RULES", options.select,
             "run only these rules: ids, groups or all, separated by commas");
  rules.list("--ignore", "RULES", options.ignore, "do not run these rules");
  rules.list("--extend-select", "RULES", options.extend_select, "run these rules as well");
  rules.list("--severity", "RULE=LEVEL", options.severity,
             "set the severity of a rule: error, warning, info or off; may be repeated");
}

void declare_lint(Command& command, LintOptions& options) {
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
  output.one_of(
      "--fail-on", "LEVEL", options.fail_on, {"error", "warning", "info"},
      "least severity that makes the exit code 1: error, warning or info (default: warning)");
  output.flag("--exit-zero", options.exit_zero, "exit with 0 even if there are findings");
  declare_messages(command, options.messages);
  declare_verbose(command, options.messages, "show how each file and document was handled");
}

Exit lint(const LintOptions& options, Console& console) {
  const auto suppression = read_suppression(options.suppression, console);
  if (!suppression) return Exit::usage;
  ProgressLine line(console, options.messages.quiet);
  auto& opened = console.keep<Opened>();
  Discovered found = discover_files(options.input, opened);
  if (options.show_files) return show_files(options, found, opened, console);
  const std::string problem = problem_with(options);
  if (!problem.empty()) {
    say_error(console, problem);
    return Exit::usage;
  }
  if (const auto failed = open_workspace(options.input, found, out_of_scope_for(options),
                                         options.messages.quiet, opened, console)) {
    return *failed;
  }
  const auto selection = rules::Selection::from(options.selection, opened.rules());
  if (!selection) {
    say_error(console, selection.error().message);
    return Exit::usage;
  }
  if (const auto rejected = reject_reports(opened.workspace, options.reporting, console)) {
    return *rejected;
  }
  return LintRun(options, found, opened, *selection, *suppression, console).run();
}

}  // namespace cnsched::cli
