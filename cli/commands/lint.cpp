#include "cli/commands/lint.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/output/output.h"
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

/// How often each rule has fired, the most frequent first.
void write_statistics(const std::vector<Diagnostic>& findings, std::ostream& out) {
  std::map<std::string_view, std::size_t> counts;
  for (const Diagnostic& finding : findings) {
    if (!finding.suppression) ++counts[finding.rule];
  }
  std::vector<std::pair<std::string_view, std::size_t>> rows(counts.begin(), counts.end());
  std::ranges::stable_sort(rows, std::ranges::greater(), &decltype(rows)::value_type::second);
  for (const auto& [rule, count] : rows) out << fmt::format("{:>7}  {}\n", count, rule);
}

/// Of all that was found, shown or not.
void write_summary(const Outcome& outcome, const LintOptions& options, Console& console) {
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
    say_error(console, fmt::format("checked {}, fewer than --min-objects {}",
                                   count_of(ledger.objects, "object"), options.min_objects));
    failed = true;
  }
  if (incomplete) return Exit::failure;
  const bool passes = options.exit_zero || !options.suppression.write_baseline.empty();
  return failed && !passes ? Exit::findings : Exit::clean;
}

/// What is found; with --fix and --diff mended already, in memory.
rules::Fixed find_and_fix(const Workspace& run, const LintOptions& options,
                          const rules::Find& find) {
  std::vector<Diagnostic> findings = find(run);
  if (!options.fixes.any()) return {.findings = std::move(findings)};
  return rules::fix_all(run, findings, options.fixes.least(), find);
}

Exit show_changes(const rules::Fixed& fixed, const Workspace& before, const LintOptions& options,
                  Console& console) {
  const bool differs = show_diff(fixed, before, options.talk.quiet, console);
  console.out.flush();
  if (report_unreadable(before.unreadable(), console)) return Exit::failure;
  return differs && !options.exit_zero ? Exit::findings : Exit::clean;
}

}  // namespace

void declare_lint(CLI::App& command, LintOptions& options) {
  declare_input(command, options.input);
  const char* input = "Input";
  command
      .add_flag("--show-files", options.show_files, "list the files that would be read, and stop")
      ->group(input);
  command
      .add_option("--min-objects", options.min_objects,
                  "fail if fewer objects were checked: a gate that sees nothing is no gate")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber)
      ->group(input);

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
           "set it: error, warning, info or off; may be repeated", "RULE=LEVEL");

  declare_fixes(command, options.fixes);
  declare_suppression(command, options.suppression);

  const char* output = "Output";
  declare_reporting(command, options.reporting);
  command.add_flag("--statistics", options.statistics, "count the findings of each rule")
      ->group(output);
  command
      .add_option("--fail-on", options.fail_on,
                  "least severity that makes the exit code 1: error, warning or info (warning)")
      ->type_name("LEVEL")
      ->check(CLI::IsMember({"error", "warning", "info"}))
      ->group(output);
  command.add_flag("--exit-zero", options.exit_zero, "exit with 0 whatever was found")
      ->group(output);
  declare_talk(command, options.talk);
}

Exit lint(const LintOptions& options, Console& console) {
  const auto selection = rules::Selection::from(options.selection);
  if (!selection) {
    say_error(console, selection.error().message);
    return Exit::usage;
  }
  const auto suppressor = Suppressor::open(options.suppression, console);
  if (!suppressor) return Exit::usage;
  const Discovered found = discover_files(options.input);
  if (options.show_files) {
    for (const std::string& path : found.files) console.out << printable(path) << '\n';
    return report_unreadable(found.unreadable, console) ? Exit::failure : Exit::clean;
  }
  const std::string problem =
      problem_with(options.fixes, std::ranges::find(found.files, "-") != found.files.end());
  if (!problem.empty()) {
    say_error(console, problem);
    return Exit::usage;
  }
  if (options.fixes.diff && !options.reporting.reports.empty()) {
    say_error(console, "--diff shows changes and no findings: --report has nothing to write");
    return Exit::usage;
  }
  Opened opened;
  if (const auto failed = open_workspace(options.input, found, opened, console)) return *failed;
  if (const auto refused = refuse_reports(opened.workspace, options.reporting, console)) {
    return *refused;
  }
  const rules::Find find = [&](const Workspace& run) {
    auto findings = rules::run(run, *selection, rules::all_rules(), suppressor->ignores());
    suppressor->hide(run, findings);
    return findings;
  };
  rules::Fixed fixed = find_and_fix(opened.workspace, options, find);
  if (options.fixes.diff) return show_changes(fixed, opened.workspace, options, console);
  const bool written =
      !options.fixes.fix || write_fixes(fixed, opened.workspace, find, options.talk.quiet, console);
  const Workspace& workspace = fixed.workspace ? *fixed.workspace : opened.workspace;
  const bool settled =
      suppressor->settle(workspace, *selection, options.talk.quiet, fixed.findings, console);
  const std::vector<Diagnostic> shown = suppressor->shown(fixed.findings);
  const bool reported = write_reports({.workspace = workspace,
                                       .findings = shown,
                                       .rules = chosen(*selection),
                                       .fail_on = *rules::severity_named(options.fail_on)},
                                      options.reporting, options.talk, console);
  if (options.talk.verbose) report_fates(found, workspace, console);
  const bool unreadable = report_unreadable(workspace.unreadable(), console);
  if (!options.talk.quiet) write_summary({workspace, fixed.findings}, options, console);
  const bool incomplete = unreadable || !written || !settled || !reported;
  return exit_code(options, fixed.findings, workspace.ledger(), incomplete, console);
}

}  // namespace cnsched::cli
