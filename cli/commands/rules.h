#pragma once

#include "cli/commands/input.h"
#include "cli/console.h"

namespace cnsched::cli {

struct RulesOptions {
  MessageOptions messages;
  FactOptions facts;
  std::string format = "table";
  bool kinds = false;
};

void declare_rules(Command& command, RulesOptions& options);
/// Prints the rules in the chosen format, or the kinds in scope.
Exit list_rules(const RulesOptions& options, Console& console);

struct ExplainOptions {
  MessageOptions messages;
  FactOptions facts;
  std::string format = "text";
  bool cel = false;
  std::string rule;
};

void declare_explain(Command& command, ExplainOptions& options);
/// Prints the page of one rule.
Exit explain(const ExplainOptions& options, Console& console);

}  // namespace cnsched::cli
