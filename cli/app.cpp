#include "cli/app.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/commands/input.h"
#include "cli/help.h"
#include "cli/program.h"
#include "core/base/suggest.h"
#include "core/base/text.h"

namespace cnsched::cli {

namespace {

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

Exit usage_error(const Program& program, const CLI::ParseError& error,
                 const std::string& first_word, Console& console) {
  const CLI::App& command = program.current();
  const CLI::App& app = program.app();
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
  Program program;
  try {
    // CLI11 takes its arguments from the back.
    program.app().parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    console.out << program.current().help();
    return Exit::clean;
  } catch (const CLI::CallForVersion& version) {
    console.out << version.what() << '\n';
    return Exit::clean;
  } catch (const CLI::ParseError& error) {
    if (arguments.empty()) {
      console.err << program.app().help();
      return Exit::usage;
    }
    return usage_error(program, error, arguments.front(), console);
  }
  return program.run(console);
}

}  // namespace cnsched::cli
