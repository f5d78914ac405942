#pragma once

#include "cli/command.h"

namespace cnsched::cli {

/// The program with all its commands. Its own `run` prints the version.
Command program();

}  // namespace cnsched::cli
