#pragma once

#include <cstddef>
#include <string>

#include "cli/command.h"

namespace cnsched::cli {

inline constexpr std::size_t kHelpWidth = 80;

/// What `--help` prints, in lines of at most `kHelpWidth` columns.
std::string help_of(const Command& command);

}  // namespace cnsched::cli
