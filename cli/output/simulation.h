#pragma once

#include <ostream>

#include "core/sim/simulation.h"

namespace cnsched::cli {

/// What a simulation has to show.
struct SimulationOutcome {
  const Workspace& workspace;
  const sim::Simulation& simulation;
};

/// One JSON document, schemaVersion 1.
void write_simulation_json(const SimulationOutcome& outcome, std::ostream& out);
/// A page for browsers, one file that needs no other: a map of workloads and nodes.
void write_simulation_html(const SimulationOutcome& outcome, std::ostream& out);

}  // namespace cnsched::cli
