#pragma once

#include <string_view>

#include "cli/console.h"

namespace cnsched::cli {

/// Prints a diff or a manifest: unchanged for programs, escaped for terminals and for the log of a
/// CI system, which would execute commands in it.
void write_verbatim(std::string_view text, const Console& console);

}  // namespace cnsched::cli
