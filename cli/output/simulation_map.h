#pragma once

#include <ostream>
#include <vector>

#include "cli/output/simulation.h"

namespace cnsched::cli {

/// A table of workloads, told by their places, and of the nodes of the cluster that they share.
void write_simulation_map(const SimulationOutcome& outcome, const std::vector<std::size_t>& places,
                          std::ostream& out);

}  // namespace cnsched::cli
