// The only user of CLI11, which takes seconds to compile.
#include "cli/app.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <span>

#include "cli/commands/complete.h"
#include "core/base/text.h"

namespace cnsched::cli {

namespace {

void declare(Argument& argument, CLI::App& app) {
  std::string names = argument.names.empty() ? argument.value : "";
  for (const std::string& name : argument.names) names += (names.empty() ? "" : ",") + name;
  if (argument.enabled != nullptr) {
    app.add_flag(names, *argument.enabled);
    return;
  }
  if (!argument.store) return;  // --help or --version
  CLI::callback_t store = [&argument](const CLI::results_t& values) {
    for (const std::string& value : values) {
      const std::string problem = argument.store(value);
      if (!problem.empty()) throw CLI::ValidationError(argument.name(), problem);
    }
    return true;
  };
  CLI::Option* option = app.add_option(names, std::move(store))->required(argument.required);
  if (!argument.repeatable) return;
  if (argument.names.empty()) {
    option->expected(CLI::detail::expected_max_vector_size);
  } else {
    option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }
}

/// Declares the arguments of a command that `words` name. Of other commands only the names: CLI11
/// takes longer to declare all arguments than to check a small manifest.
void declare(Command& command, CLI::App& app, const std::vector<std::string>& words) {
  for (Argument& argument : command.positionals) declare(argument, app);
  for (Argument& argument : command.flags) declare(argument, app);
  for (const Argument& argument : command.flags) {
    if (!argument.needs.empty()) {
      app.get_option(argument.name())->needs(app.get_option(argument.needs));
    }
    if (!argument.excludes.empty()) {
      app.get_option(argument.name())->excludes(app.get_option(argument.excludes));
    }
  }
  for (Command& sub : command.commands) {
    const std::string name(last_word(sub.name));
    CLI::App& declared = *app.add_subcommand(name);
    if (is_one_of(name, words)) declare(sub, declared, words);
  }
}

void take_values(Command& command, const CLI::App& app) {
  for (auto* arguments : {&command.positionals, &command.flags}) {
    for (Argument& argument : *arguments) {
      argument.given = app.get_option(argument.name())->results();
    }
  }
  for (Command& sub : command.commands) {
    const std::string name(last_word(sub.name));
    if (app.got_subcommand(name)) take_values(sub, *app.get_subcommand(name));
  }
}

const Command& parsed_command(const Command& command, const CLI::App& app) {
  const auto used = app.get_subcommands();
  if (used.empty()) return command;
  const CLI::App& next = *used.front();
  const auto sub = std::ranges::find(command.commands, next.get_name(), [](const Command& each) {
    return std::string(last_word(each.name));
  });
  return parsed_command(*sub, next);
}

template <typename Type>
bool is(const CLI::ParseError& error) {
  return dynamic_cast<const Type*>(&error) != nullptr;
}

ParseError::Kind kind_of(const CLI::ParseError& error) {
  using Kind = ParseError::Kind;
  if (is<CLI::ExtrasError>(error)) return Kind::extra;
  if (is<CLI::RequiredError>(error)) return Kind::missing;
  if (is<CLI::ArgumentMismatch>(error)) return Kind::value_count;
  if (is<CLI::ConversionError>(error)) return Kind::flag_value;
  if (is<CLI::RequiresError>(error)) return Kind::needs;
  if (is<CLI::ExcludesError>(error)) return Kind::excludes;
  return Kind::invalid;
}

/// The argument that CLI11 names in its message, "--color: …", and nowhere else.
const Argument* argument_in(std::string_view message, const Command& command) {
  for (const auto* arguments : {&command.positionals, &command.flags}) {
    for (const Argument& argument : *arguments) {
      if (message.starts_with(argument.name() + ":")) return &argument;
    }
  }
  return nullptr;
}

}  // namespace

Parsed parse(Command& program, const std::vector<std::string>& arguments) {
  CLI::App app("", "cnsched");
  app.set_help_flag("-h,--help");
  app.set_version_flag("--version");
  app.require_subcommand(1);
  declare(program, app, arguments);
  Parsed parsed;
  try {
    // CLI11 expects its arguments in reverse order.
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    parsed.outcome = Parsed::Outcome::help;
  } catch (const CLI::CallForVersion&) {
    parsed.outcome = Parsed::Outcome::version;
  } catch (const CLI::ParseError& error) {
    parsed.outcome = Parsed::Outcome::error;
    parsed.error = {.kind = kind_of(error),
                    .message = printable(error.what()),
                    .before = app.remaining(false),
                    .extra = app.remaining(true)};
  }
  parsed.command = &parsed_command(program, app);
  if (parsed.error.kind == ParseError::Kind::value_count) {
    parsed.error.argument = argument_in(parsed.error.message, *parsed.command);
  }
  take_values(program, app);
  return parsed;
}

Exit run_app(const std::vector<std::string>& arguments, Console& console) {
  Command program = cli::program();
  if (!arguments.empty() && arguments.front() == kCompleteCommand) {
    return print_completion(program, std::span(arguments).subspan(1), console);
  }
  if (arguments.empty()) {
    console.err << help_of(program);
    return Exit::usage;
  }
  const Parsed parsed = parse(program, arguments);
  if (parsed.outcome == Parsed::Outcome::help) {
    console.out << help_of(*parsed.command);
    return Exit::clean;
  }
  if (parsed.outcome == Parsed::Outcome::version) return program.run(console);
  const auto rejected = usage_error(program, parsed, arguments, console);
  return rejected ? *rejected : parsed.command->run(console);
}

}  // namespace cnsched::cli
