#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "cli/console.h"

namespace cnsched::cli {

/// The program with all its commands. Its own `run` prints the version.
Command program();

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

/// Reports what is wrong with the arguments, the likely correction, and which help to read. Nothing
/// if the command can run.
std::optional<Exit> usage_error(const Command& program, const Parsed& parsed,
                                const std::vector<std::string>& arguments, Console& console);

/// Runs the program; `arguments` follow its name. Does not throw for a usage error.
Exit run_app(const std::vector<std::string>& arguments, Console& console);

/// "find mistakes in manifests": the summary in the command's manual, man/cnsched-lint.1.md.
std::string_view summary_of(const Command& command);

/// What `--help` prints, in lines of at most 80 columns: from the manual the first paragraph, the
/// examples and the exit codes, and what the command declares.
std::string help_of(const Command& command);

}  // namespace cnsched::cli
