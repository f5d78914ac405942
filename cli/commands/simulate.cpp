#include "cli/commands/simulate.h"

#include <algorithm>

#include "cli/output/simulation.h"
#include "cli/progress.h"
#include "core/base/text.h"
#include "core/sim/simulation.h"

namespace cnsched::cli {

namespace {

std::optional<bool> on_or_off(const std::string& value) {
  return value.empty() ? std::nullopt : std::optional(value == "on");
}

bool fits_nowhere(const sim::Simulated& simulated) {
  return !simulated.diagnosis || simulated.diagnosis->fits_nowhere();
}

}  // namespace

void declare_simulate(CLI::App& command, SimulateOptions& options) {
  declare_input(command, options.input);
  const char* cluster = "Cluster";
  one_of(command.add_option("--extended-resource-toleration", options.extended_resource_toleration,
                            "whether the admission plugin of that name adds tolerations to pods "
                            "that ask for accelerators: on or off (default: what facts and "
                            "configuration tell)"),
         {"on", "off"})
      ->type_name("SWITCH")
      ->group(cluster);
  one_of(command.add_option("--format", options.format, "pretty, json or html (default: pretty)"),
         {"pretty", "json", "html"})
      ->type_name("NAME")
      ->group("Output");
  declare_talk(command, options.talk);
  declare_verbose(command, options.talk, "tell what became of each file and document");
}

Exit simulate(const SimulateOptions& options, Console& console) {
  ProgressLine line(console, options.talk.quiet);
  Opened opened;
  const Discovered found = discover_files(options.input, opened);
  if (const auto failed = open_workspace(options.input, found, options.talk.quiet, opened, console))
    return *failed;
  const Workspace& workspace = opened.workspace;
  const sim::Simulation simulation(
      workspace, {.extended_resource_toleration = on_or_off(options.extended_resource_toleration)});
  (options.format == "html" ? write_simulation_html : write_simulation_json)(
      {workspace, simulation}, console.out);
  return std::ranges::any_of(simulation.workloads(), fits_nowhere) ? Exit::findings : Exit::clean;
}

}  // namespace cnsched::cli
