// What the program and the language server use of the commands: a file each.
#pragma once

#include <vector>

#include "cli/command.h"
#include "core/diag/diagnostic.h"

namespace cnsched {
class Workspace;
struct Workload;
namespace sim {
class Simulation;
}
}  // namespace cnsched

namespace cnsched::cli {

/// Each declares the arguments of a command, and the function that runs it.
void declare_completion(Command& command);
void declare_config(Command& command);
void declare_diff(Command& command);
void declare_explain(Command& command);
void declare_export(Command& command);
void declare_export_vap(Command& command);
void declare_generate(Command& command);
void declare_lint(Command& command);
void declare_lsp(Command& command);
void declare_pin(Command& command);
void declare_policy(Command& command);
void declare_policy_check(Command& command);
void declare_policy_test(Command& command);
void declare_render(Command& command);
void declare_rules(Command& command);
void declare_simulate(Command& command);
void declare_snapshot(Command& command);
void declare_templates(Command& command);
void declare_version(Command& command);

/// Prints the pods in YAML with the origins of their values, as render does.
void print_pods(const std::vector<const Workload*>& pods, const Workspace& workspace,
                Console& console);
/// Explains each workload of a simulation without colors, as simulate does; without known nodes,
/// prints that as an error. `findings`: of lint.
void print_explanations(const sim::Simulation& simulation, const Workspace& workspace,
                        const std::vector<Diagnostic>& findings, Console& console);

}  // namespace cnsched::cli
