#pragma once

#include <string>

#include "cli/commands/input.h"
#include "cli/console.h"

namespace cnsched::cli {

struct SimulateOptions {
  MessageOptions messages;
  InputOptions input;
  std::string format = "pretty";
  std::string explain;  ///< NAME, KIND/NAME or KIND/NAME/COMPONENT
  std::string node;     ///< name of a node or a pool
  bool replicas = false;
  std::string extended_resource_toleration;  ///< "on", "off"; empty: from facts and configuration
};

void declare_simulate(Command& command, SimulateOptions& options);
/// Shows on which of the given nodes each pod can run, and why not on the others.
Exit simulate(const SimulateOptions& options, Console& console);

}  // namespace cnsched::cli
