#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/command.h"

namespace cnsched::cli {

/// Why a command line cannot be parsed.
struct ParseError {
  enum class Kind : std::uint8_t {
    extra,        ///< words that no argument takes: `extra`
    missing,      ///< a required argument, or the command
    value_count,  ///< no value, or too many, for `argument`
    flag_value,   ///< a value for a flag that takes none
    needs,        ///< a flag without the one that it needs
    excludes,     ///< two flags that exclude each other
    invalid,      ///< a value that `Argument::store` rejects: `message`
  };
  Kind kind = Kind::invalid;
  std::string message{};  ///< names the argument; printable
  const Argument* argument = nullptr;
  std::vector<std::string> before{};  ///< unknown words before the command's name
  std::vector<std::string> extra{};   ///< all unknown words
};

/// A parsed command line.
struct Parsed {
  enum class Outcome : std::uint8_t { run, help, version, error };
  Outcome outcome = Outcome::run;
  const Command* command = nullptr;  ///< the one that the arguments belong to, perhaps the program
  ParseError error{};
};

/// Stores the arguments after the program's name in the targets that its commands declare.
Parsed parse(Command& program, const std::vector<std::string>& arguments);

}  // namespace cnsched::cli
