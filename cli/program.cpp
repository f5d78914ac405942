#include "cli/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/commands/completion.h"
#include "cli/commands/config.h"
#include "cli/commands/generate.h"
#include "cli/commands/lint.h"
#include "cli/commands/pin.h"
#include "cli/commands/render.h"
#include "cli/commands/rules.h"
#include "cli/commands/templates.h"
#include "cli/help.h"
#include "cli/manual.h"

namespace cnsched::cli {

namespace {

constexpr const char* kVersion = "cnsched " CNSCHED_VERSION;

/// `version` has no flags.
struct VersionOptions {};
void declare_version(CLI::App& /*command*/, VersionOptions& /*options*/) {}
Exit show_version(const VersionOptions& /*options*/, Console& console) {
  console.out << kVersion << '\n';
  return Exit::clean;
}

/// What is set of a command's own flags, before the name of one of its commands: nothing would come
/// of it. Empty if nothing is.
std::string flag_before_subcommand(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() > 0) return option->get_name();
  }
  return {};
}

const CLI::App& deepest(const CLI::App& app) {
  const auto used = app.get_subcommands();
  return used.empty() ? app : deepest(*used.front());
}

}  // namespace

Program::Program() : app_(std::string(manual_of("").description), "cnsched") {
  app_.formatter(std::make_shared<HelpFormatter>());
  app_.set_help_flag("-h,--help", "show this help and exit");
  app_.set_version_flag("--version", kVersion, "show the version and exit");
  app_.require_subcommand(1);
  app_.footer(help_footer(manual_of(""), kHelpWidth));
  add("lint", declare_lint, lint);
  add("render", declare_render, render);
  add("generate", declare_generate, generate);
  add("generate pin", declare_pin, pin);
  add("templates", declare_templates, list_templates);
  add("rules", declare_rules, list_rules);
  add("explain", declare_explain, explain);
  add("config", declare_config, config);
  add("completion", declare_completion, completion);
  add("version", declare_version, show_version);
}

/// A new subcommand, of the program or of another command, with what the manual says of it.
CLI::App& Program::declared(std::string_view name) {
  const std::size_t blank = name.rfind(' ');
  const bool nested = blank != std::string_view::npos;
  CLI::App& parent = nested ? *app_.get_subcommand(std::string(name.substr(0, blank))) : app_;
  const Manual& manual = manual_of(name);
  CLI::App& command = *parent.add_subcommand(std::string(nested ? name.substr(blank + 1) : name),
                                             std::string(manual.summary));
  command.footer(help_footer(manual, kHelpWidth));
  return command;
}

template <typename Options>
void Program::add(std::string_view name, void (*declare)(CLI::App&, Options&),
                  Exit (*work)(const Options&, Console&)) {
  CLI::App& command = declared(name);
  const auto options = std::make_shared<Options>();
  declare(command, *options);
  commands_.push_back(
      {&command, [options, work](Console& console) { return work(*options, console); }});
}

const CLI::App& Program::current() const { return deepest(app_); }

Exit Program::run(Console& console) const {
  const CLI::App& command = current();
  for (const CLI::App* above = command.get_parent(); above != &app_; above = above->get_parent()) {
    const std::string flag = flag_before_subcommand(*above);
    if (flag.empty()) continue;
    say_error(console,
              fmt::format("'{}' stands before '{}': write it behind", flag, command.get_name()));
    return Exit::usage;
  }
  return std::ranges::find(commands_, &command, &Command::app)->run(console);
}

}  // namespace cnsched::cli
