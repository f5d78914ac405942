#include "cli/commands/lint.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/output/output.h"
#include "core/base/text.h"
#include "rules/engine/run.h"

namespace cnsched::cli {

namespace {

void write_findings(const Outcome& outcome, const LintOptions& options, const Console& console) {
  const bool colored =
      decide_color(color_choice(options.talk), console.out_is_terminal, environment_variable);
  if (options.format == "json") {
    write_json(outcome, console.out);
  } else if (options.format == "concise") {
    write_concise(outcome, colored, console.out);
  } else {
    write_pretty(outcome, console.width, colored, console.out);
  }
}

/// How often each rule has fired, the most frequent first.
void write_statistics(const std::vector<Diagnostic>& findings, std::ostream& out) {
  std::map<std::string_view, std::size_t> counts;
  for (const Diagnostic& finding : findings) ++counts[finding.rule];
  std::vector<std::pair<std::string_view, std::size_t>> rows(counts.begin(), counts.end());
  std::ranges::stable_sort(rows, std::ranges::greater(), &decltype(rows)::value_type::second);
  for (const auto& [rule, count] : rows) out << fmt::format("{:>7}  {}\n", count, rule);
}

void write_summary(const Outcome& outcome, const LintOptions& options, Console& console) {
  std::ostream& err = console.err;
  const Totals totals = totals_of(outcome.findings);
  const Ledger& ledger = outcome.workspace.ledger();
  if (options.statistics) write_statistics(outcome.findings, err);
  if (!outcome.findings.empty()) {
    std::vector<std::string> parts;
    if (totals.errors > 0) parts.push_back(count_of(totals.errors, "error"));
    if (totals.warnings > 0) parts.push_back(count_of(totals.warnings, "warning"));
    if (totals.infos > 0) parts.push_back(count_of(totals.infos, "info"));
    err << "found " << join_words(parts) << '\n';
  }
  report_templates(ledger, "lint", console);
  err << describe(ledger) << '\n';
}

Exit exit_code(const LintOptions& options, const std::vector<Diagnostic>& findings,
               const Ledger& ledger, bool unreadable, Console& console) {
  const auto gate = rules::severity_named(options.fail_on);
  bool failed = gate && std::ranges::any_of(
                            findings, [&](const Diagnostic& d) { return d.severity >= *gate; });
  if (ledger.objects < options.min_objects) {
    say_error(console, fmt::format("checked {}, fewer than --min-objects {}",
                                   count_of(ledger.objects, "object"), options.min_objects));
    failed = true;
  }
  if (unreadable) return Exit::failure;
  return failed && !options.exit_zero ? Exit::findings : Exit::clean;
}

Exit show_files(const LintOptions& options, const Discovered& found, Opened& opened,
                Console& console) {
  const auto failed = open_configs(options.input.facts, found.files, opened, console);
  if (failed) return *failed;
  for (const std::string& path : found.files) console.out << printable(path) << '\n';
  if (!options.talk.quiet) report_skipped(found, console);
  return report_unreadable(found.unreadable, console) ? Exit::failure : Exit::clean;
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

  const char* output = "Output";
  command.add_option("--format", options.format, "pretty, concise or json (pretty)")
      ->type_name("NAME")
      ->check(CLI::IsMember({"pretty", "concise", "json"}))
      ->group(output);
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
  Opened opened;
  const Discovered found = discover_files(options.input, opened);
  if (options.show_files) return show_files(options, found, opened, console);
  if (const auto failed = open_workspace(options.input, found, opened, console)) return *failed;
  const Workspace& workspace = opened.workspace;

  rules::Selection wanted = *selection;
  wanted.follow(opened.configs);
  const std::vector<Diagnostic> findings = rules::run(workspace, wanted);
  const Outcome outcome{workspace, findings};
  write_findings(outcome, options, console);
  console.out.flush();
  if (options.talk.verbose) report_fates(found, workspace, console);
  const bool unreadable = report_unreadable(workspace.unreadable(), console);
  if (!options.talk.quiet) write_summary(outcome, options, console);
  return exit_code(options, findings, workspace.ledger(), unreadable, console);
}

}  // namespace cnsched::cli
