#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/manual.h"

namespace cnsched::cli {

/// What the value of a flag or argument is, for whoever completes it.
enum class Takes : std::uint8_t {
  nothing,  ///< a flag that has no value
  text,
  choice,  ///< one of `Argument::choices`
  file,    ///< or directory
  directory,
  rule,    ///< an id
  rules,   ///< ids, groups and `all`, separated by commas
  level,   ///< RULE=LEVEL
  report,  ///< FORMAT=FILE
  template_name,
  parameter,  ///< NAME=VALUE, of a template
};

/// A flag or, without names, a positional argument.
struct Argument {
  std::vector<std::string> names;  ///< "-c", "--config"
  std::string value;               ///< how help calls it: "FILE"
  std::string text;
  std::string group;
  std::vector<std::string> choices;
  Takes takes = Takes::nothing;
  bool required = false;
  bool repeatable = false;
};

/// A command as it is declared, with what the manual says of it.
struct Command {
  std::string name;       ///< "lint", "generate pin"; "" is the program
  std::string arguments;  ///< behind the name in a usage line: " FILE [OPTIONS]"
  const Manual* manual = nullptr;
  std::vector<Argument> flags;
  std::vector<Argument> positionals;
  std::vector<Command> commands;  ///< those within it
};

/// The program, with all its commands.
Command reference();

/// The command and all within it, in the order of help.
std::vector<const Command*> flat(const Command& command);

/// "pin" of "generate pin".
std::string_view last_word(std::string_view name);

}  // namespace cnsched::cli
