#pragma once

#include <string>

#include "cli/command.h"

namespace cnsched::cli {

/// A manual page and its file name, "cnsched-lint.1".
struct PageFile {
  std::string name;
  std::string text;
};

/// cnsched(1), or that of a command within it, as cnsched-generate-pin(1).
PageFile command_page(const Command& command, const Command& program);
/// cnsched.yaml(5): the configuration.
PageFile config_page();
/// cnsched-rules(7): every rule.
PageFile rules_page();

}  // namespace cnsched::cli
