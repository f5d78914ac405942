#pragma once

#include <map>
#include <string>

#include "cli/commands/diff_side.h"
#include "cli/commands/input.h"
#include "rules/engine/selection.h"

namespace cnsched::cli {

struct DiffOptions {
  MessageOptions messages;
  ComparedOptions compared;
  rules::SelectionOptions selection;
  bool replicas = false;
  std::string format = "pretty";
  std::string fail_on = "warning";
  std::map<std::string, std::size_t> max_accelerators;  ///< by resource
};

void declare_diff(Command& command, DiffOptions& options);
/// Shows what a change does to the placement of pods.
Exit diff(const DiffOptions& options, Console& console);

}  // namespace cnsched::cli
