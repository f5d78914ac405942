#pragma once

#include "cli/command.h"
#include "cli/console.h"

namespace cnsched::cli {

struct VersionOptions {
  bool json = false;
};

void declare_version(Command& command, VersionOptions& options);
/// Prints the name and the version, or everything that is known about the build.
Exit show_version(const VersionOptions& options, Console& console);

}  // namespace cnsched::cli
