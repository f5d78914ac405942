#pragma once

#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "core/sim/advice.h"
#include "core/sim/model_loading.h"
#include "core/sim/placement.h"
#include "core/sim/simulation.h"

namespace cnsched::cli {

/// What a simulation has to show.
struct SimulationOutcome {
  const Workspace& workspace;
  const sim::Simulation& simulation;
  /// For those that fit nowhere, by their places among the workloads.
  const std::map<std::size_t, sim::Advice>& advice;
  const sim::ModelLoading& models;
  /// Of each workload, where its replicas go; empty if that was not asked for.
  const std::vector<sim::Placement>& placements;
  /// Which workloads are to be shown, by their places; and which models.
  std::vector<std::size_t> workloads;
  std::vector<std::size_t> shown_models;
  std::string_view only_node{};  ///< in JSON; empty: all nodes
  /// How many errors lint finds in the object of each workload: whoever refuses it comes before the
  /// scheduler. Empty if that was not asked.
  std::vector<std::size_t> errors{};

  /// "lint finds 2 errors: …", or nothing if it finds none.
  std::string doubt_about(std::size_t workload) const;
};

/// For people: of each workload an event as the scheduler's own, the nodes, and what helps.
void write_simulation(const SimulationOutcome& outcome, std::size_t width, bool colored,
                      std::ostream& out);
/// All of one workload's story: what reaches the scheduler and whence, and each node by itself.
void write_story(const SimulationOutcome& outcome, std::size_t workload, std::size_t width,
                 bool colored, std::ostream& out);
/// Which workloads may land on the nodes of that name, and what leads them there.
void write_node(const SimulationOutcome& outcome, std::string_view node, std::size_t width,
                bool colored, std::ostream& out);
/// One JSON document, schemaVersion 1.
void write_simulation_json(const SimulationOutcome& outcome, std::ostream& out);
/// A page for browsers, one file that needs no other: a map of workloads and nodes.
void write_simulation_html(const SimulationOutcome& outcome, std::ostream& out);

}  // namespace cnsched::cli
