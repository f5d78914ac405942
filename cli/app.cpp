#include "cli/app.h"

#include <span>

#include "cli/commands/complete.h"
#include "cli/help.h"
#include "cli/parse.h"
#include "cli/program.h"
#include "cli/usage_error.h"

namespace cnsched::cli {

Exit run_app(const std::vector<std::string>& arguments, Console& console) {
  Command program = cli::program();
  if (!arguments.empty() && arguments.front() == kCompleteCommand) {
    return print_completion(program, std::span(arguments).subspan(1), console);
  }
  const Parsed parsed = parse(program, arguments);
  const Command& command = *parsed.command;
  switch (parsed.outcome) {
    case Parsed::Outcome::help:
      console.out << help_of(command);
      return Exit::clean;
    case Parsed::Outcome::version:
      return program.run(console);
    case Parsed::Outcome::error:
      if (arguments.empty()) {
        console.err << help_of(program);
        return Exit::usage;
      }
      return usage_error(program, parsed, arguments, console);
    case Parsed::Outcome::run:
      break;
  }
  if (const auto rejected = reject_single_dash(program, command, arguments, console)) {
    return *rejected;
  }
  if (const auto rejected = reject_flag_before_subcommand(program, command, console)) {
    return *rejected;
  }
  return command.run(console);
}

}  // namespace cnsched::cli
