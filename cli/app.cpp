#include "cli/app.h"

#include <CLI/CLI.hpp>

#include "cli/program.h"
#include "cli/usage_error.h"

namespace cnsched::cli {

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
    return usage_error(program.app(), program.current(), error, arguments, console);
  }
  const CLI::App& command = program.current();
  if (const auto refused = refuse_single_dash(program.app(), command, arguments, console)) {
    return *refused;
  }
  if (const auto refused = refuse_flag_before_subcommand(program.app(), command, console)) {
    return *refused;
  }
  return program.run(console);
}

}  // namespace cnsched::cli
