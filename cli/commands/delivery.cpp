#include "cli/commands/delivery.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <tuple>

#include "cli/output/output.h"
#include "cli/output/safe_text.h"
#include "cli/progress.h"
#include "core/base/diff.h"
#include "core/base/text.h"
#include "core/source/read_file.h"
#include "core/source/save.h"
#include "rules/engine/run.h"

namespace cnsched::cli {

namespace {

/// The text that --diff and --check compare the new text with.
struct Before {
  std::string name;
  std::string text;
};

/// The file of --output, or `made.before`. A file that does not exist is empty.
Result<Before> before(const Delivered& made, const DeliveryOptions& options) {
  if (options.output.empty()) return Before{made.before_name, made.before};
  if (const std::string problem = problem_with_link(options.output); !problem.empty()) {
    return Error{fmt::format("'{}' {}", printable(options.output), problem)};
  }
  std::error_code error;
  if (!std::filesystem::exists(options.output, error)) return Before{"/dev/null", ""};
  Result<std::string> bytes = read_named_file(options.output);
  if (!bytes) return bytes.error();
  return Before{options.output, *std::move(bytes)};
}

Exit compare(const Delivered& made, const DeliveryOptions& options, Console& console) {
  const auto old = before(made, options);
  if (!old) return fail(console, old.error().message, Exit::failure);
  const std::string name = options.output.empty() ? made.before_name : options.output;
  if (options.diff) {
    write_verbatim(unified_diff(old->text, made.text, old->name, name), console);
  }
  if (old->text == made.text) return Exit::clean;
  if (!options.diff) {
    console.err << fmt::format("{} {}: --diff shows the difference\n", printable(name),
                               old->name == name ? "differs" : "does not exist");
  }
  return Exit::findings;
}

/// For loading `text` instead of the output.
LoadOptions load_options_for(const OutputText& output_text, const std::string& text,
                             const FactOptions& facts, const LoadedProject& project) {
  LoadOptions options = load_options(facts, project.configs);
  options.memory_files.push_back({output_text.name, text});
  return options;
}

/// Identifies a finding independently of its line.
auto identity_of(const Diagnostic& d) {
  const Subject& s = d.subject;
  return std::tie(d.rule, d.severity, s.api_version, s.kind, s.ns, s.name, s.component, d.message);
}

void drop_old(std::vector<Diagnostic>& findings, const std::vector<Diagnostic>& old) {
  std::multiset<decltype(identity_of(findings.front()))> known;
  for (const Diagnostic& d : old) known.insert(identity_of(d));
  std::erase_if(findings, [&](const Diagnostic& d) {
    const auto found = known.find(identity_of(d));
    if (found == known.end()) return false;
    known.erase(found);
    return true;
  });
}

Exit write(const Delivered& made, const DeliveryOptions& options, bool quiet, Console& console) {
  const auto saved = save(options.output, made.text, {.overwrite = options.force});
  if (!saved) {
    say_error(console, saved.error().message);
    std::error_code error;
    if (!options.force && std::filesystem::is_regular_file(options.output, error)) {
      console.err << "--force overwrites it, --diff shows the changes\n";
    }
    return Exit::failure;
  }
  if (!quiet) {
    console.err << fmt::format("{} {}\n", *saved == Saved::unchanged ? "unchanged:" : "wrote",
                               printable(options.output));
  }
  return Exit::clean;
}

}  // namespace

void declare_delivery(Command& command, DeliveryOptions& options) {
  ArgumentGroup output = command.group("Output");
  output
      .option("-o,--output", "FILE", options.output,
              "write to this file instead of standard output; needs --force if the file exists and "
              "differs")
      .store = [&options](const std::string& name) {
    options.output = name == "-" ? "" : name;  // '-' is standard output
    return std::string();
  };
  output.flag("--force", options.force, "overwrite the file of --output");
  output.flag("--diff", options.diff,
              "write nothing; show the changes to the file as a unified diff, and exit with 1 if "
              "there are any");
  output.flag("--check", options.check,
              "write nothing; exit with 1 if the file is out of date (--diff also shows how)");
  output.flag("--no-lint", options.no_lint, "do not lint the output");
  declare_fail_on(
      command, options.fail_on,
      "least severity of a finding that prevents the output: {0} (default: {1}, because a warning "
      "may depend on unknown facts about the cluster)");
}

std::string name_of_output(const DeliveryOptions& options) {
  return options.output.empty() ? "<generated>" : options.output;
}

std::optional<Exit> lint_output(const OutputText& output_text, const FactOptions& facts,
                                const DeliveryOptions& options, const MessageOptions& messages,
                                LoadedProject& project, Console& console) {
  if (options.no_lint) return std::nullopt;
  ProgressLine line(console, messages.quiet);
  const auto with = [&](const std::string& text) {
    return load_options_for(output_text, text, facts, project);
  };
  if (const auto failed = load_facts(with(output_text.text), project, console)) return failed;
  rules::Selection selection;
  selection.follow(project.configs);
  std::vector<Diagnostic> findings = rules::run(project.workspace, selection).findings;
  if (output_text.before) {
    Workspace old;
    old.load(with(*output_text.before));
    drop_old(findings, rules::run(old, selection).findings);
  }
  std::erase_if(findings, [](const Diagnostic& d) { return d.suppression.has_value(); });
  const bool prevented = std::ranges::any_of(
      findings, [&](const Diagnostic& d) { return d.severity >= options.fail_on; });
  if (!findings.empty() && (prevented || !messages.quiet)) {
    const bool colored = decide_color(messages.color, console.err_is_terminal);
    write_pretty({project.workspace, findings}, console.width, colored, console.err);
  }
  return prevented ? std::optional(Exit::findings) : std::nullopt;
}

Exit report_output_prevented(Exit exit, Console& console) {
  if (exit == Exit::findings) {
    say_error(console,
              "the output is not written because of its findings (--no-lint skips the check)");
  }
  return exit;
}

Exit deliver(const Delivered& made, const DeliveryOptions& options, bool quiet, Console& console) {
  const bool compares = options.diff || options.check;
  if (compares && options.output.empty() && made.before_name.empty()) {
    return fail(console, "--diff and --check need a file to compare with: give --output");
  }
  if (compares) return compare(made, options, console);
  if (!options.output.empty()) return write(made, options, quiet, console);
  write_verbatim(made.text, console);
  return Exit::clean;
}

}  // namespace cnsched::cli
