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
#include "cli/usage_error.h"

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
    return usage_error(app, current_command(app), error, arguments, console);
  }
  if (const auto refused = refuse_single_dash(app, current_command(app), arguments, console)) {
    return *refused;
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
