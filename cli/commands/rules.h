#pragma once

#include <CLI/CLI.hpp>

#include "cli/commands/input.h"
#include "cli/console.h"

namespace cnsched::cli {

struct RulesOptions {
  TalkOptions talk;
  std::string format = "table";
};

void declare_rules(CLI::App& command, RulesOptions& options);
/// The table of all rules.
Exit list_rules(const RulesOptions& options, Console& console);

struct ExplainOptions {
  TalkOptions talk;
  std::string rule;
};

void declare_explain(CLI::App& command, ExplainOptions& options);
/// One rule's page: why, wrong, right, source.
Exit explain(const ExplainOptions& options, Console& console);

}  // namespace cnsched::cli
