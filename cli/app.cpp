#include "cli/app.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/commands/config.h"
#include "cli/commands/generate.h"
#include "cli/commands/lint.h"
#include "cli/commands/pin.h"
#include "cli/commands/render.h"
#include "cli/commands/rules.h"
#include "cli/commands/templates.h"
#include "cli/help.h"
#include "core/base/suggest.h"
#include "core/base/text.h"

namespace cnsched::cli {

namespace {

constexpr const char* kDescription =
    "cnsched reads the manifests of model servers (KServe, Seldon Core) and tells, before anything "
    "is deployed, where each pod will and will not run, and why.";

constexpr const char* kLintFooter =
    "Exit codes: 0 nothing at or above --fail-on, 1 findings at or above it, 2 bad usage or "
    "configuration, 3 something could not be read.";

constexpr const char* kRenderFooter =
    "Each pod is what the controller would make of the object and of all that it merges in, as far "
    "as the run holds it. Exit codes: 0 all shown, 1 something is no YAML, 2 bad usage or "
    "configuration, 3 something could not be read or shown.";

constexpr const char* kGenerateFooter =
    "The manifests are linted before they leave, with what --cluster and the configuration tell of "
    "the cluster. Exit codes: 0 printed or written, 1 it does not lint or --check finds a "
    "difference, 2 bad usage or parameters, 3 a file could not be read or would be overwritten.";

constexpr const char* kConfigFooter =
    "What comes out is a configuration itself; a comment behind each value says where it is from. "
    "Exit codes: 0 shown or written, 2 bad usage or configuration, 3 there is no such path, or the "
    "file of --init exists.";

constexpr const char* kPinFooter =
    "The parameters are platform and accelerator, and if you like gpus and migStrategy. Only bytes "
    "that have to change do; what was wrong with the file before does not keep it from leaving. "
    "Exit codes: 0 printed or written, 1 it does not lint or --check finds a difference, 2 bad "
    "usage or parameters, 3 the file could not be read or edited, or would be overwritten.";

/// The commands and what their flags are bound to.
struct Commands {
  LintOptions lint;
  RenderOptions render;
  GenerateOptions generate;
  PinOptions pin;
  TemplatesOptions templates;
  RulesOptions rules;
  ExplainOptions explain;
  ConfigOptions config;
  TalkOptions version;
};

/// The command whose arguments are being read when parsing fails.
const CLI::App& current_command(const CLI::App& app) {
  const auto used = app.get_subcommands();
  return used.empty() ? app : current_command(*used.front());
}

/// What is set of a command's own flags, before the name of one of its commands: nothing would come
/// of it. Empty if nothing is.
std::string flag_before_subcommand(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() > 0) return option->get_name();
  }
  return {};
}

/// What is like `word` among the flags or commands of `command`.
std::string flag_or_command_like(const std::string& word, const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  for (const CLI::App* sub : command.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(sub->get_name());
  }
  return did_you_mean(word, std::vector<std::string_view>(names.begin(), names.end()));
}

Exit usage_error(const CLI::App& app, const CLI::ParseError& error, const std::string& first_word,
                 Console& console) {
  const CLI::App& command = current_command(app);
  const std::vector<std::string> extra = app.remaining(true);
  const bool unknown = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !extra.empty();
  if (unknown) {
    const std::string word = extra.front().substr(0, extra.front().find('='));
    const bool is_flag = word.starts_with('-');
    say_error(console, fmt::format("unknown {} '{}'{}", is_flag ? "option" : "command",
                                   printable(word), flag_or_command_like(word, command)));
  } else if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr && &command == &app) {
    say_error(console, fmt::format("no command is called '{}'{}", printable(first_word),
                                   flag_or_command_like(first_word, app)));
  } else {
    say_error(console, printable(error.what()));
  }
  console.err << fmt::format("Try '{} --help'.\n", full_name(command));
  return Exit::usage;
}

}  // namespace

Exit run_app(const std::vector<std::string>& arguments, Console& console) {
  CLI::App app(kDescription, "cnsched");
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_help_flag("-h,--help", "show this help and exit");
  app.set_version_flag("--version", "cnsched " CNSCHED_VERSION, "show the version and exit");
  app.require_subcommand(1);

  Commands commands;
  CLI::App& lint_command = *app.add_subcommand("lint", "find mistakes in manifests");
  lint_command.footer(kLintFooter);
  declare_lint(lint_command, commands.lint);
  CLI::App& render_command =
      *app.add_subcommand("render", "show the pods that the controllers would create");
  render_command.footer(kRenderFooter);
  declare_render(render_command, commands.render);
  CLI::App& generate_command = *app.add_subcommand(
      "generate", "make manifests that are pinned to accelerators, from a template");
  generate_command.footer(kGenerateFooter);
  declare_generate(generate_command, commands.generate);
  CLI::App& pin_command = *generate_command.add_subcommand(
      "pin", "add the placement to the pods of a manifest that exists");
  pin_command.footer(kPinFooter);
  declare_pin(pin_command, commands.pin);
  CLI::App& templates_command =
      *app.add_subcommand("templates", "list the templates, or describe one");
  declare_templates(templates_command, commands.templates);
  CLI::App& rules_command = *app.add_subcommand("rules", "list the rules");
  declare_rules(rules_command, commands.rules);
  CLI::App& explain_command =
      *app.add_subcommand("explain", "show a rule's page: why, wrong, right");
  declare_explain(explain_command, commands.explain);
  CLI::App& config_command =
      *app.add_subcommand("config", "show the configuration that is in force");
  config_command.footer(kConfigFooter);
  declare_config(config_command, commands.config);
  const CLI::App& version_command = *app.add_subcommand("version", "show the version");

  try {
    // CLI11 takes its arguments from the back.
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    const CLI::App& command = current_command(app);
    console.out << command.help();
    return Exit::clean;
  } catch (const CLI::CallForVersion& version) {
    console.out << version.what() << '\n';
    return Exit::clean;
  } catch (const CLI::ParseError& error) {
    if (arguments.empty()) {
      console.err << app.help();
      return Exit::usage;
    }
    return usage_error(app, error, arguments.front(), console);
  }

  if (lint_command.parsed()) return lint(commands.lint, console);
  if (render_command.parsed()) return render(commands.render, console);
  if (pin_command.parsed()) {
    const std::string flag = flag_before_subcommand(generate_command);
    if (flag.empty()) return pin(commands.pin, console);
    say_error(console, fmt::format("'{}' stands before 'pin': write it behind", flag));
    return Exit::usage;
  }
  if (generate_command.parsed()) return generate(commands.generate, console);
  if (templates_command.parsed()) return list_templates(commands.templates, console);
  if (rules_command.parsed()) return list_rules(commands.rules, console);
  if (explain_command.parsed()) return explain(commands.explain, console);
  if (config_command.parsed()) return config(commands.config, console);
  if (version_command.parsed()) console.out << "cnsched " CNSCHED_VERSION "\n";
  return Exit::clean;
}

}  // namespace cnsched::cli
