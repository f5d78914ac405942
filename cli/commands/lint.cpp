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

/// The rules that are selected, in the order of the table.
std::vector<rules::Listed> chosen(const rules::Selection& selection) {
  std::vector<rules::Listed> result;
  std::ranges::copy_if(rules::all_rules(), std::back_inserter(result),
                       [&](const rules::Listed& each) { return selection.runs(each.rule->id); });
  return result;
}

/// Of all that was found, shown or not.
void write_summary(const Outcome& outcome, const Discovered& found, const LintOptions& options,
                   Console& console) {
  std::ostream& err = console.err;
  const Totals totals = totals_of(outcome.findings);
  const Ledger& ledger = outcome.workspace.ledger();
  if (options.statistics) write_statistics(outcome.findings, err);
  if (!outcome.findings.empty()) {
    err << "found " << describe(totals);
    const std::string fixable = describe_fixes(outcome.findings);
    if (!fixable.empty()) err << "; " << fixable;
    err << '\n';
  }
  report_nothing(found, ledger, console);
  report_templates(ledger, "lint", console);
  err << describe(ledger) << '\n';
}

Exit exit_code(const LintOptions& options, const std::vector<Diagnostic>& findings,
               const Ledger& ledger, bool incomplete, Console& console) {
  const auto gate = rules::severity_named(options.fail_on);
  bool failed = gate && std::ranges::any_of(findings, [&](const Diagnostic& d) {
                  return !d.suppression && d.severity >= *gate;
                });
  if (ledger.objects < options.min_objects) {
    say_error(
        console,
        fmt::format("checked {}, fewer than --min-objects {} (-v tells what became of each file)",
                    count_of(ledger.objects, "object"), options.min_objects));
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
  if (!options.talk.quiet) report_skipped(found, console);
  return report_unreadable(found.unreadable, console) ? Exit::failure : Exit::clean;
}

/// Why the options do not go together; empty if they do.
std::string problem_with(const LintOptions& options, const Discovered& found) {
  const bool writes =
      !options.reporting.reports.empty() || !options.suppression.write_baseline.empty();
  if (options.fixes.diff && writes) {
    return "--diff shows changes and no findings: leave out --report and --write-baseline, which "
           "have nothing to write";
  }
  return problem_with(options.fixes, std::ranges::find(found.files, "-") != found.files.end());
}

/// Fixes count, and compare, all that was read.
OutOfScope out_of_scope_for(const LintOptions& options) {
  const bool tells = options.talk.verbose || tells_out_of_scope(options.reporting);
  return tells || options.fixes.any() ? OutOfScope::kept : OutOfScope::counted;
}

/// Finds, mends and tells, when all has been read.
class LintRun {
 public:
  LintRun(const LintOptions& options, const Discovered& found, const Opened& opened,
          rules::Selection selection, Suppressor suppressor, Console& console)
      : options_(options),
        found_(found),
        before_(opened.workspace),
        selection_(std::move(selection)),
        suppressor_(std::move(suppressor)),
        console_(console) {
    selection_.follow(opened.configs);
  }

  Exit run() {
    const rules::Find find = [&](const Workspace& run) { return findings_in(run); };
    rules::Fixed fixed;
    if (options_.fixes.any()) {
      fixed = rules::fix_all(before_, find(before_), options_.fixes.least(), find);
    } else {
      fixed.take(find(before_));
    }
    if (options_.fixes.diff) return show_changes(fixed);
    const bool written =
        !options_.fixes.fix || write_fixes(fixed, before_, find, options_.talk.quiet, console_);
    return tell(fixed.workspace ? *fixed.workspace : before_, fixed, written);
  }

 private:
  rules::Found findings_in(const Workspace& run) const {
    rules::Found found = rules::run(run, selection_, rules::all_rules(), suppressor_.ignores(),
                                    options_.max_findings);
    suppressor_.hide(run, found.findings);
    return found;
  }

  Exit show_changes(const rules::Fixed& fixed) {
    const bool differs = show_diff(fixed, before_, options_.talk.quiet, console_);
    console_.out.flush();
    bool incomplete = report_unreadable(before_.unreadable(), console_);
    if (fixed.left_out) incomplete = report_unreadable({*fixed.left_out}, console_);
    if (incomplete) return Exit::failure;
    return differs && !options_.exit_zero ? Exit::findings : Exit::clean;
  }

  /// What is left after all mending.
  Exit tell(const Workspace& run, rules::Fixed& fixed, bool written) {
    const bool quiet = options_.talk.quiet;
    std::vector<Diagnostic>& findings = fixed.findings;
    const bool settled =
        suppressor_.settle(run, selection_, quiet, findings, !fixed.left_out, console_);
    const std::vector<Diagnostic> shown = suppressor_.shown(findings);
    const bool reported = write_reports({.workspace = run,
                                         .findings = shown,
                                         .rules = chosen(selection_),
                                         .fail_on = *rules::severity_named(options_.fail_on),
                                         .left_out = fixed.left_out},
                                        options_.reporting, options_.talk, console_);
    if (options_.talk.verbose) report_fates(found_, run, console_);
    bool unreadable = report_unreadable(run.unreadable(), console_);
    if (fixed.left_out) unreadable = report_unreadable({*fixed.left_out}, console_);
    if (!quiet) write_summary({run, findings}, found_, options_, console_);
    const bool incomplete = unreadable || !written || !settled || !reported;
    return exit_code(options_, findings, run.ledger(), incomplete, console_);
  }

  const LintOptions& options_;
  const Discovered& found_;
  const Workspace& before_;
  rules::Selection selection_;
  Suppressor suppressor_;
  Console& console_;
};

}  // namespace

void declare_lint(CLI::App& command, LintOptions& options) {
  declare_input(command, options.input);
  const char* input = "Input";
  command
      .add_flag("--show-files", options.show_files, "list the files that would be read, and stop")
      ->group(input);
  constexpr std::size_t kMost = 1'000'000'000;
  whole_number(
      command.add_option("--min-objects", options.min_objects,
                         "fail if fewer objects were checked: a gate that sees nothing is no "
                         "gate"),
      kMost)
      ->type_name("N")
      ->group(input);
  declare_limits(command, options.input.facts.limits);
  whole_number(command.add_option(rules::kFindingsFlag, options.max_findings,
                                  fmt::format("keep no more findings than this (default: {})",
                                              rules::kMostFindings)),
               kMost, 1)
      ->type_name("N")
      ->group("Limits");

  const char* selection = "Rules";
  rules::SelectionOptions& rule_options = options.selection;
  const auto add_list = [&](const char* name, std::vector<std::string>& list, const char* text,
                            const char* type) {
    one_value_each(command.add_option(name, list, text))->type_name(type)->group(selection);
  };
  add_list("--select", rule_options.select,
           "run these only: ids, groups or all, separated by commas", "RULES");
  add_list("--ignore", rule_options.ignore, "do not run these", "RULES");
  add_list("--extend-select", rule_options.extend_select, "run these as well", "RULES");
  add_list("--severity", rule_options.severity,
           "set the severity of a rule: error, warning, info or off; may be repeated",
           "RULE=LEVEL");

  declare_fixes(command, options.fixes);
  declare_suppression(command, options.suppression);

  const char* output = "Output";
  declare_reporting(command, options.reporting);
  command
      .add_flag("--statistics", options.statistics,
                "count the findings of each rule, and how many can be mended")
      ->group(output);
  one_of(command.add_option("--fail-on", options.fail_on,
                            "least severity that makes the exit code 1: error, warning or info "
                            "(default: warning)"),
         {"error", "warning", "info"})
      ->type_name("LEVEL")
      ->group(output);
  command.add_flag("--exit-zero", options.exit_zero, "exit with 0 whatever was found")
      ->group(output);
  declare_talk(command, options.talk);
  declare_verbose(command, options.talk, "tell what became of each file and document");
}

Exit lint(const LintOptions& options, Console& console) {
  const auto selection = rules::Selection::from(options.selection);
  if (!selection) {
    say_error(console, selection.error().message);
    return Exit::usage;
  }
  const auto suppressor = Suppressor::open(options.suppression, console);
  if (!suppressor) return Exit::usage;
  ProgressLine line(console, options.talk.quiet);
  auto& opened = console.keep<Opened>();
  const Discovered found = discover_files(options.input, opened);
  if (options.show_files) return show_files(options, found, opened, console);
  const std::string problem = problem_with(options, found);
  if (!problem.empty()) {
    say_error(console, problem);
    return Exit::usage;
  }
  if (const auto failed = open_workspace(options.input, found, out_of_scope_for(options),
                                         options.talk.quiet, opened, console)) {
    return *failed;
  }
  if (const auto refused = refuse_reports(opened.workspace, options.reporting, console)) {
    return *refused;
  }
  return LintRun(options, found, opened, *selection, *suppressor, console).run();
}

}  // namespace cnsched::cli
