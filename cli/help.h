#pragma once

#include <string>
#include <string_view>

#include "cli/command.h"

namespace cnsched::cli {

/// "find mistakes in manifests": the summary in the command's manual, man/cnsched-lint.1.md.
std::string_view summary_of(const Command& command);

/// What `--help` prints, in lines of at most 80 columns: from the manual the first paragraph, the
/// examples and the exit codes, and what the command declares.
std::string help_of(const Command& command);

}  // namespace cnsched::cli
