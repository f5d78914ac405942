#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/commands/input.h"
#include "cli/console.h"

namespace cnsched::cli {

struct SimulateOptions {
  TalkOptions talk;
  InputOptions input;
  std::string format = "pretty";
  std::string explain;  ///< NAME, KIND/NAME or KIND/NAME/COMPONENT
  std::string node;     ///< a node's or a pool's name
  bool replicas = false;
  std::string extended_resource_toleration;  ///< "on", "off"; empty: as far as facts tell
};

void declare_simulate(CLI::App& command, SimulateOptions& options);
/// Where each pod can run on the nodes that are given, and why not on the others.
Exit simulate(const SimulateOptions& options, Console& console);

}  // namespace cnsched::cli
