#pragma once

#include <string>
#include <vector>

#include "cli/commands/input.h"
#include "cli/console.h"
#include "core/diag/diagnostic.h"
#include "core/sim/simulation.h"

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
/// Explains each workload of a simulation, as --explain does; without known nodes, says that as an
/// error. `findings`: of lint.
void explain(const sim::Simulation& simulation, const Workspace& workspace,
             const std::vector<Diagnostic>& findings, const MessageOptions& messages,
             Console& console);
/// Shows on which of the given nodes each pod can run, and why not on the others.
Exit simulate(const SimulateOptions& options, Console& console);

}  // namespace cnsched::cli
