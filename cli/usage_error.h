#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/parse.h"

namespace cnsched::cli {

/// Reports what is wrong with the arguments, the likely correction, and which help to read.
Exit usage_error(const Command& program, const Parsed& parsed,
                 const std::vector<std::string>& arguments, Console& console);

/// Rejects '-config', which the parser reads as '-c onfig'.
std::optional<Exit> reject_single_dash(const Command& program, const Command& command,
                                       const std::vector<std::string>& arguments, Console& console);

/// Rejects flags of `generate` before `pin`: they would have no effect.
std::optional<Exit> reject_flag_before_subcommand(const Command& program, const Command& command,
                                                  Console& console);

}  // namespace cnsched::cli
