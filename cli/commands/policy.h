#pragma once

#include <string>
#include <vector>

#include "cli/commands/input.h"
#include "cli/console.h"

namespace cnsched::cli {

struct PolicyOptions {
  MessageOptions messages;
  std::vector<std::string> paths;
};

void declare_policy_test(Command& command, PolicyOptions& options);
/// Runs each policy over its good and bad manifests.
Exit test_policies(const PolicyOptions& options, Console& console);

void declare_policy_check(Command& command, PolicyOptions& options);
/// Reads the policies and reports mistakes in them.
Exit check_policies(const PolicyOptions& options, Console& console);

void declare_policy(Command& command, PolicyOptions& options);
/// Lists the policies of the working directory's configuration.
Exit policy(const PolicyOptions& options, Console& console);

}  // namespace cnsched::cli
