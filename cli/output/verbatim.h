#pragma once

#include <string_view>

#include "cli/console.h"

namespace cnsched::cli {

/// Prints text that is made of manifests: a diff, a manifest. Where a program reads it, byte by
/// byte; where people do, or a CI system that obeys its log, printable.
void write_verbatim(std::string_view text, const Console& console);

}  // namespace cnsched::cli
