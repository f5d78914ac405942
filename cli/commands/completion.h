#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/console.h"

namespace cnsched::cli {

struct CompletionOptions {
  std::string shell;
};

void declare_completion(CLI::App& command, CompletionOptions& options);
/// The script that completes in a shell.
Exit completion(const CompletionOptions& options, Console& console);

}  // namespace cnsched::cli
