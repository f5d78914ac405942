#pragma once

#include <string>
#include <vector>

#include "cli/console.h"

namespace cnsched::cli {

/// Runs the program; `arguments` follow its name. Does not throw for a usage error.
Exit run_app(const std::vector<std::string>& arguments, Console& console);

}  // namespace cnsched::cli
