#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "cli/output/style.h"
#include "core/sim/conclusion.h"
#include "core/sim/model_loading.h"
#include "core/sim/placement.h"
#include "core/sim/simulation.h"

namespace cnsched::cli {

/// All results of one simulate command.
struct SimulationOutcome {
  const Workspace& workspace;
  const sim::Simulation& simulation;
  /// For workloads that fit nowhere, by their indices.
  const std::map<std::size_t, sim::Advice>& advice;
  const sim::ModelLoading& models;
  /// Of each workload; empty without --replicas.
  const sim::Placements& placements;
  /// The indices of the workloads and of the models to show.
  std::vector<std::size_t> workloads;
  std::vector<std::size_t> shown_models;
  std::string_view only_node{};  ///< of JSON and HTML; empty: all nodes
  bool each_node = false;        ///< show each node by itself, not in groups
  /// The number of errors that lint finds in each workload's object: the API server may reject it,
  /// so that no pod reaches the scheduler. Empty if lint did not run.
  std::vector<std::size_t> errors{};

  /// What autoscalers add for workloads that no existing node accepts, by their indices; or null.
  const std::map<std::size_t, sim::Outlook>* outlooks = nullptr;

  /// Null if no autoscaler is asked.
  const sim::Outlook* outlook(std::size_t workload) const;
  sim::Conclusion conclusion(std::size_t workload) const;
  /// The number of shown workloads with each conclusion.
  std::map<sim::Conclusion, std::size_t> conclusions() const;
};

/// A line about a workload: "change: set 'pool' in nodeSelector to 'infer' (svc.yaml:12): …".
struct SimulationNote {
  std::string_view label;  ///< may be empty
  Paint paint = Paint::note;
  std::string text;
  std::vector<std::string> items{};
};

/// What is known of a workload besides its nodes: flavors of its queue, assumptions, suggested
/// changes, autoscalers, replicas.
std::vector<SimulationNote> notes_on(const SimulationOutcome& outcome, std::size_t workload);

/// What the verdicts on all workloads assume because the files do not show it.
std::vector<std::string> assumptions_of(const SimulationOutcome& outcome);

/// "InferenceService 'llama', predictor (svc.yaml:1), 3 replicas".
std::string title_of(const Workload& workload, const Workspace& workspace);
/// "Model 'm' (model.yaml:1)".
std::string title_of(const sim::LoadedModel& model, const Workspace& workspace);
/// "gpu-1, gpu-2 and 3 more".
std::string names_of(const std::vector<std::size_t>& nodes, const sim::Cluster& cluster);
/// "NodePool 'gpu': gets a node of type g6.xlarge", or why it gets none, or what is unknown.
std::string outlook_text(const sim::Outlook& outlook, const sim::PoolOutlook& of);
/// "ok".
std::string_view name_of(Truth verdict);
Paint paint_of(Truth verdict);
/// "preemption would evict batch-7 (priority 0) on node gpu-3; the pod starts there …"
std::string preemption_text(const sim::Simulated& simulated);
/// Of a Model that a Server of Seldon's own may load (sim::LoadedModel::may_be_shipped).
inline constexpr std::string_view kShippedServer =
    "a Server that Seldon installs may load the Model; no file defines one";

/// Text: for each workload the scheduler's event, the nodes, and suggested changes.
void write_simulation(const SimulationOutcome& outcome, std::size_t width, bool colored,
                      std::ostream& out);
/// Explains one workload: its effective pod with the source of each value, and each node.
void write_explanation(const SimulationOutcome& outcome, std::size_t workload, std::size_t width,
                       bool colored, std::ostream& out);
/// The workloads that may run on the nodes of that name, and whether they select these nodes.
void write_node(const SimulationOutcome& outcome, std::string_view node, std::size_t width,
                bool colored, std::ostream& out);
/// What all verdicts assume, which the other texts end with.
void write_assumptions(const SimulationOutcome& outcome, std::size_t width, bool colored,
                       std::ostream& out);
/// One JSON document, schemaVersion 1.
void write_simulation_json(const SimulationOutcome& outcome, std::ostream& out);
/// An HTML page in a single file: a table of workloads and nodes.
void write_simulation_html(const SimulationOutcome& outcome, std::ostream& out);

/// Nodes with the same verdict, score and reasons for a workload.
struct NodeGroup {
  Truth verdict = Truth::yes;
  std::optional<std::int64_t> score{};
  std::vector<std::string> reasons;  ///< printable; none if the verdict is ok
  std::vector<std::size_t> nodes;
};

/// By which reasons nodes are grouped.
enum class Reasons : std::uint8_t {
  readable,   ///< in cnsched's words; kube-scheduler's if there are too many groups
  scheduler,  ///< those of all of kube-scheduler's filters, and of the first one
  full,       ///< those of kube-scheduler's first filter, and in cnsched's words
};

/// Every node in one group: first the feasible nodes by score, then unknown nodes, then infeasible
/// ones, those with the fewest reasons first. If there are too many groups to read (the amounts of
/// free resources differ, for example), `readable` groups nodes by the reasons of all filters, or
/// else by those of the first one. With `each_node`, each node is a group.
std::vector<NodeGroup> node_groups(const sim::Simulated& simulated, Reasons reasons,
                                   bool each_node);

/// The causes for which each node of `explained` is not feasible, by the node's index.
sim::CausesByNode causes_on_nodes(const sim::Simulated& simulated, sim::NodeSet explained,
                                  bool with_texts = true);

/// The reasons of a node in cnsched's words. `causes` are those on this node.
std::vector<std::string> reasons_in_words(const sim::Simulated& simulated,
                                          const std::vector<sim::Cause>& causes, std::size_t node);

}  // namespace cnsched::cli
