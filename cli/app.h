#pragma once

#include <string>
#include <vector>

#include "cli/console.h"

namespace cnsched::cli {

/// Runs the program: `arguments` are those behind its name. Never throws for a user's mistake.
Exit run_app(const std::vector<std::string>& arguments, Console& console);

}  // namespace cnsched::cli
