#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "cli/commands/commands.h"
#include "cli/commands/diff_side.h"
#include "cli/commands/reading.h"
#include "cli/commands/reporting.h"
#include "cli/commands/suppression.h"
#include "cli/output/diff.h"
#include "cli/output/output.h"
#include "cli/progress.h"
#include "core/base/text.h"
#include "core/source/path.h"

namespace cnsched::cli {

namespace {

enum class DiffFormat : std::uint8_t { pretty, json, markdown, github };

struct DiffOptions {
  MessageOptions messages;
  ComparedOptions compared;
  rules::SelectionOptions selection;
  bool replicas = false;
  std::size_t max_steps = kDefaultSteps;
  DiffFormat format = DiffFormat::pretty;
  Severity fail_on = Severity::warning;
  std::map<std::string, std::size_t> max_accelerators;  ///< by resource
};

/// "nvidia.com/gpu=8"
std::string store_max_accelerators(const std::string& setting, DiffOptions& options) {
  const std::size_t equals = setting.rfind('=');
  const auto most = equals == std::string::npos
                        ? std::nullopt
                        : whole_number(std::string_view(setting).substr(equals + 1));
  if (!most || equals == 0) {
    return fmt::format("'{}' is not a resource and a number: write nvidia.com/gpu=8",
                       printable(setting));
  }
  options.max_accelerators[setting.substr(0, equals)] = *most;
  return {};
}

/// The name by which the files of OLD and NEW are paired: that below the directory. A revision has
/// the names of the working tree.
std::function<std::string(const std::string&)> pair_names(const DiffOptions& options,
                                                          const DiffSide& side) {
  if (!options.compared.base.empty() || side.input.paths.empty()) {
    return [](const std::string& path) { return path; };
  }
  return [root = side.input.paths.front()](const std::string& path) {
    if (path == root || root == "-") return std::string();
    const std::string below = path_below(root, path);
    return below.empty() ? path : below;
  };
}

change::Side as_side(const DiffSide& side, bool replicas) {
  return {.workspace = side.workspace(),
          .simulation = *side.simulation,
          .placements = replicas ? &side.placements : nullptr};
}

/// "nvidia.com/gpu: 12 with all replicas, more than --max-accelerators nvidia.com/gpu=8"
std::vector<std::string> exceeded(const DiffOptions& options, const change::Totals& totals) {
  std::vector<std::string> failures;
  for (const auto& [resource, most] : options.max_accelerators) {
    const double wanted = totals.accelerators_of(resource);
    if (wanted <= static_cast<double>(most)) continue;
    failures.push_back(
        fmt::format("{0}: {1} with all replicas, more than --max-accelerators {0}={2}", resource,
                    wanted, most));
  }
  return failures;
}

/// Of the configuration of the first file that has prices.
change::Prices prices_of(const DiffSide& side) {
  for (const std::string& file : side.project.found.files) {
    const rules::Config* config = side.project.configs.find(file);
    if (config != nullptr && !config->prices.empty()) return config->prices;
  }
  return {};
}

/// Prints what could not be read or judged of a side. Returns whether there was anything.
bool report_unread(const DiffSide& side, Console& console) {
  std::vector<Unreadable> unread = side.workspace().unreadable();
  if (side.linted.left_out) unread.push_back(*side.linted.left_out);
  for (Unreadable& each : unread) each.reason += side.suffix();
  return report_unreadable(unread, console);
}

void report_side(const DiffSide& side, std::string_view name, const MessageOptions& messages,
                 Console& console) {
  if (messages.verbose) report_documents(side.project, side.workspace(), console);
  if (messages.quiet) return;
  if (!messages.verbose) report_links(side.project.found, console);
  for (const std::string& each : side.left_out) {
    console.err << fmt::format("{}{}\n", each, side.suffix());
  }
  console.err << fmt::format("{}{}: {}\n", name, side.suffix(), describe(side.workspace().stats()));
}

/// Writes the result. Returns false, after a message, if the step's summary cannot be written.
bool write_outcome(const DiffOptions& options, const DiffOutcome& outcome, Console& console) {
  bool is_written = true;
  switch (options.format) {
    case DiffFormat::json:
      write_diff_json(outcome, console.out);
      break;
    case DiffFormat::markdown:
      write_diff_markdown(outcome, console.out);
      break;
    case DiffFormat::github: {
      write_diff_github(outcome, console.out);
      std::ostringstream summary;
      write_diff_markdown(outcome, summary);
      is_written = append_step_summary(summary.str(), console);
      break;
    }
    case DiffFormat::pretty:
      write_diff(outcome, console.width,
                 decide_color(options.messages.color, console.out_is_terminal), console.out);
  }
  console.out.flush();
  return is_written;
}

Exit report(const DiffOptions& options, const DiffSides& sides, const sim::Steps& steps,
            Console& console) {
  const change::Side before = as_side(sides.before, options.replicas);
  const change::Side after = as_side(sides.after, options.replicas);
  const change::Difference difference = change::compare(before, after);
  FindingChanges findings = compare_findings(
      {sides.before.workspace(), sides.before.linted.findings, pair_names(options, sides.before)},
      {sides.after.workspace(), sides.after.linted.findings, pair_names(options, sides.after)},
      difference);
  const bool is_worse =
      difference.is_worse() || std::ranges::any_of(findings.added, [&](const Diagnostic* finding) {
        return finding->severity >= options.fail_on;
      });
  const DiffOutcome outcome{.before = before,
                            .after = after,
                            .difference = difference,
                            .new_findings = std::move(findings.added),
                            .resolved_findings = std::move(findings.resolved),
                            .prices = prices_of(sides.after),
                            .failures = exceeded(options, difference.after),
                            .fail_on = options.fail_on};
  const bool is_written = write_outcome(options, outcome, console);
  // A document that is broken on both sides is no new finding, but its pods are not compared.
  if (!report_broken(sides.after.workspace(), console)) {
    report_broken(sides.before.workspace(), console);
  }
  report_side(sides.before, "before", options.messages, console);
  report_side(sides.after, "after", options.messages, console);
  if (!options.messages.quiet) report_unfollowed(sides.after.workspace(), "diff", console);
  bool is_unread = report_unread(sides.before, console);
  is_unread = report_unread(sides.after, console) || is_unread;
  if (steps.were_spent()) say_error(console, steps.text());
  return exit_of(is_unread || !is_written || steps.were_spent(),
                 is_worse || !outcome.failures.empty());
}

/// Shows what a change does to the placement of pods.
Exit diff(const DiffOptions& options, Console& console) {
  const auto suppression = read_suppression({}, console);
  if (!suppression) return Exit::usage;
  ProgressLine line(console, options.messages.quiet);
  auto& sides = console.keep<DiffSides>();
  if (const auto failed = plan_sides(options.compared, sides, console)) return *failed;
  const auto steps = std::make_shared<sim::Steps>(options.max_steps);
  const SideOptions options_of_sides{.selection = options.selection,
                                     .suppression = *suppression,
                                     .steps = steps,
                                     .replicas = options.replicas,
                                     .verbose = options.messages.verbose};
  sides.after.parsed = &sides.before.workspace().parsed();
  for (DiffSide* side : {&sides.before, &sides.after}) {
    if (const auto failed = open_side(options_of_sides, *side, console)) return *failed;
  }
  for (const auto& [side, other] :
       {std::pair(&sides.before, &sides.after), std::pair(&sides.after, &sides.before)}) {
    if (const auto failed = check_side(options_of_sides, *other, *side, console)) return *failed;
  }
  const Exit exit = report(options, sides, *steps, console);
  // What is kept by the console is not destroyed.
  for (DiffSide* side : {&sides.before, &sides.after}) side->files.reset();
  return exit;
}

}  // namespace

void declare_diff(Command& command) {
  auto& options = command.runs(diff);
  ComparedOptions& compared = options.compared;
  declare_input(command, compared.input);
  command.positionals.back().text =
      "OLD and NEW: a file, a directory (searched for .yaml, .yml and .json) or - for standard "
      "input; with --base, files and directories of the repository (default: the working "
      "directory)";
  ArgumentGroup revisions = command.group("Revisions");
  revisions.option("--base", "REV", compared.base,
                   "compare the working tree with its merge base with this revision; starts git");
  revisions
      .option("--head", "REV", compared.head,
              "compare this revision with the merge base, instead of the working tree")
      .needs = "--base";
  command.group("Input").list(
      "--old-cluster", "FILE", compared.old_cluster,
      "facts about the cluster for the old side, instead of --cluster; may be repeated");
  declare_limits(command, compared.input.facts.limits);
  declare_steps(command, options.max_steps);
  declare_selection(command, options.selection);
  command.group("Question")
      .flag(
          "--replicas", options.replicas,
          "place all replicas of all workloads together, in order, and compare how many find room");
  ArgumentGroup output = command.group("Output");
  output.one_of("--format", "NAME", options.format,
                {{"pretty", DiffFormat::pretty},
                 {"json", DiffFormat::json},
                 {"markdown", DiffFormat::markdown},
                 {"github", DiffFormat::github}},
                "pretty, json, markdown (for a comment) or github (annotations, and the step's "
                "summary) (default: pretty)");
  declare_fail_on(command, options.fail_on,
                  "least severity of a new finding that makes the exit code 1: {0} (default: {1})");
  output.list(
      "--max-accelerators", "RESOURCE=N",
      [&options](const std::string& setting) { return store_max_accelerators(setting, options); },
      "exit with 1 if the new side requests more of a resource with all replicas, such as "
      "nvidia.com/gpu=8; may be repeated");
  declare_messages(command, options.messages);
  declare_verbose(command, options.messages, "show how each file and document was handled");
}

}  // namespace cnsched::cli
