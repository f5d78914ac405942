#include "cli/program.h"

#include <algorithm>
#include <memory>

#include "cli/commands/completion.h"
#include "cli/commands/config.h"
#include "cli/commands/generate.h"
#include "cli/commands/lint.h"
#include "cli/commands/pin.h"
#include "cli/commands/render.h"
#include "cli/commands/rules.h"
#include "cli/commands/simulate.h"
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

const CLI::App& deepest(const CLI::App& app) {
  const auto used = app.get_subcommands();
  return used.empty() ? app : deepest(*used.front());
}

}  // namespace

Program::Program() : app_("", "cnsched") {
  app_.formatter(std::make_shared<HelpFormatter>());
  app_.set_help_flag("-h,--help", "show this help and exit");
  app_.set_version_flag("--version", kVersion, "show the version and exit");
  app_.require_subcommand(1);
  add("lint", declare_lint, lint);
  add("render", declare_render, render);
  add("simulate", declare_simulate, simulate);
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
  return *parent.add_subcommand(std::string(nested ? name.substr(blank + 1) : name),
                                std::string(manual_of(name).summary));
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
  return std::ranges::find(commands_, &current(), &Command::app)->run(console);
}

}  // namespace cnsched::cli
