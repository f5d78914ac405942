#pragma once

#include <string>

#include "cli/command.h"
#include "cli/console.h"

namespace cnsched::cli {

struct CompletionOptions {
  std::string shell;
};

void declare_completion(Command& command, CompletionOptions& options);
/// The script that completes in a shell.
Exit completion(const CompletionOptions& options, Console& console);

}  // namespace cnsched::cli
