#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cli/app.h"
#include "cli/commands/commands.h"
#include "core/base/suggest.h"
#include "core/base/text.h"

namespace cnsched::cli {

namespace {

struct HelpOptions {
  std::vector<std::string> words;  ///< the name of a command; empty: the program
};

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

void declare_help(Command& command) {
  auto& options = command.runs(show_help);
  Argument& name = command.positional("COMMAND", options.words,
                                      "the command to describe (default: the program)");
  name.takes = Takes::choice;
}

Command named(std::string_view name) {
  Command command{.name = std::string(name)};
  command.flags.push_back({.names = {"-h", "--help"},
                           .text = "show this help and exit",
                           .group = std::string(kOptions)});
  return command;
}

Command& add(Command& parent, std::string_view name, void (*declare)(Command&)) {
  Command& command = parent.commands.emplace_back(named(name));
  declare(command);
  return command;
}

}  // namespace

Command program() {
  Command program = named("");
  program.flags.push_back({.names = {"--version"},
                           .text = "show the version and exit",
                           .group = std::string(kOptions)});
  add(program, "lint", declare_lint);
  add(program, "render", declare_render);
  add(program, "simulate", declare_simulate);
  add(program, "diff", declare_diff);
  Command& generating = add(program, "generate", declare_generate);
  add(generating, "generate pin", declare_pin);
  add(program, "templates", declare_templates);
  add(program, "rules", declare_rules);
  add(program, "explain", declare_explain);
  Command& policies = add(program, "policy", declare_policy);
  add(policies, "policy test", declare_policy_test);
  add(policies, "policy check", declare_policy_check);
  Command& exporting = add(program, "export", declare_export);
  add(exporting, "export vap", declare_export_vap);
  add(program, "lsp", declare_lsp);
  add(program, "config", declare_config);
  add(program, "snapshot", declare_snapshot);
  add(program, "completion", declare_completion);
  add(program, "help", declare_help);
  program.run = add(program, "version", declare_version).run;
  auto& names = std::ranges::find(program.commands, "help", &Command::name)->positionals.front();
  for (const Command* command : flat(program)) {
    if (!command->name.empty()) names.choices.emplace_back(last_word(command->name));
  }
  return program;
}

}  // namespace cnsched::cli
