#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/console.h"

namespace cnsched::cli {

/// Tells in our words what is wrong with the arguments, what may have been meant, and where the
/// help is. `command` is the one whose arguments were being read.
Exit usage_error(const CLI::App& app, const CLI::App& command, const CLI::ParseError& error,
                 const std::vector<std::string>& arguments, Console& console);

/// Refuses '-config', which could be read as '-c onfig', before that is looked for.
std::optional<Exit> refuse_single_dash(const CLI::App& app, const CLI::App& command,
                                       const std::vector<std::string>& arguments, Console& console);

/// Refuses flags of `generate` in front of `pin`: nothing would come of them.
std::optional<Exit> refuse_flag_before_subcommand(const CLI::App& app, const CLI::App& command,
                                                  Console& console);

}  // namespace cnsched::cli
