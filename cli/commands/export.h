#pragma once

#include <string>

#include "cli/commands/input.h"
#include "rules/engine/selection.h"

namespace cnsched::cli {

struct ExportOptions {
  MessageOptions messages;
};

void declare_export(Command& command, ExportOptions& options);
/// Reports that the format is missing.
Exit export_nothing(const ExportOptions& options, Console& console);

struct ExportVapOptions {
  MessageOptions messages;
  FactOptions facts;
  rules::SelectionOptions selection;
  std::string action = "audit";
  std::string failure_policy = "ignore";
  std::string params_namespace = "cnsched";
  bool pods = false;
  bool honor_ignore = false;
  bool list = false;
};

void declare_export_vap(Command& command, ExportVapOptions& options);
/// Prints the rules as ValidatingAdmissionPolicies.
Exit export_vap(const ExportVapOptions& options, Console& console);

}  // namespace cnsched::cli
