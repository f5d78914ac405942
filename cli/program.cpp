#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/app.h"
#include "cli/commands/completion.h"
#include "cli/commands/config.h"
#include "cli/commands/diff.h"
#include "cli/commands/export.h"
#include "cli/commands/generate.h"
#include "cli/commands/input.h"
#include "cli/commands/lint.h"
#include "cli/commands/lsp.h"
#include "cli/commands/pin.h"
#include "cli/commands/policy.h"
#include "cli/commands/render.h"
#include "cli/commands/rules.h"
#include "cli/commands/simulate.h"
#include "cli/commands/snapshot.h"
#include "cli/commands/templates.h"
#include "cli/commands/version.h"
#include "cli/help.h"
#include "core/base/suggest.h"
#include "core/base/text.h"

namespace cnsched::cli {

namespace {

struct HelpOptions {
  std::vector<std::string> words;  ///< the name of a command; empty: the program
};

void declare_help(Command& command, HelpOptions& options) {
  Argument& name = command.positional("COMMAND", options.words,
                                      "the command to describe (default: the program)");
  name.takes = Takes::choice;
}

/// "pin" is "generate pin" too.
Exit show_help(const HelpOptions& options, Console& console) {
  const std::string wanted = fmt::format("{}", fmt::join(options.words, " "));
  const Command program = cli::program();
  std::vector<std::string_view> names;
  for (const Command* command : flat(program)) {
    if (wanted == command->name || (!wanted.empty() && wanted == last_word(command->name))) {
      console.out << help_of(*command);
      return Exit::clean;
    }
    if (!command->name.empty()) names.push_back(command->name);
  }
  say_error(console,
            fmt::format("unknown command '{}'{}", printable(wanted), did_you_mean(wanted, names)));
  console.err << "Try 'cnsched help'.\n";
  return Exit::usage;
}

Command named(std::string_view name) {
  Command command{.name = std::string(name)};
  command.flags.push_back({.names = {"-h", "--help"},
                           .text = "show this help and exit",
                           .group = std::string(kOptions)});
  return command;
}

template <typename Options>
Command& add(Command& parent, std::string_view name, void (*declare)(Command&, Options&),
             Exit (*work)(const Options&, Console&)) {
  Command& command = parent.commands.emplace_back(named(name));
  const auto options = std::make_shared<Options>();
  declare(command, *options);
  command.run = [options, work](Console& console) { return work(*options, console); };
  return command;
}

}  // namespace

Command program() {
  Command program = named("");
  program.flags.push_back({.names = {"--version"},
                           .text = "show the version and exit",
                           .group = std::string(kOptions)});
  program.run = [](Console& console) { return show_version({}, console); };
  add(program, "lint", declare_lint, lint);
  add(program, "render", declare_render, render);
  add(program, "simulate", declare_simulate, simulate);
  add(program, "diff", declare_diff, diff);
  Command& generating = add(program, "generate", declare_generate, generate);
  add(generating, "generate pin", declare_pin, pin);
  add(program, "templates", declare_templates, list_templates);
  add(program, "rules", declare_rules, list_rules);
  add(program, "explain", declare_explain, explain);
  Command& policies = add(program, "policy", declare_policy, policy);
  add(policies, "policy test", declare_policy_test, test_policies);
  add(policies, "policy check", declare_policy_check, check_policies);
  Command& exporting = add(program, "export", declare_export, export_nothing);
  add(exporting, "export vap", declare_export_vap, export_vap);
  add(program, "lsp", declare_lsp, serve);
  add(program, "config", declare_config, config);
  add(program, "snapshot", declare_snapshot, snapshot);
  add(program, "completion", declare_completion, completion);
  add(program, "help", declare_help, show_help);
  add(program, "version", declare_version, show_version);
  auto& names = std::ranges::find(program.commands, "help", &Command::name)->positionals.front();
  for (const Command* command : flat(program)) {
    if (!command->name.empty()) names.choices.emplace_back(last_word(command->name));
  }
  return program;
}

}  // namespace cnsched::cli
