#pragma once

#include <string_view>

#include "cli/console.h"

namespace cnsched::cli {

/// Prints a unified diff. Where a program reads it, byte by byte, for `git apply`; on a terminal,
/// which it may not steer, printable.
void write_diff(std::string_view diff, const Console& console);

}  // namespace cnsched::cli
