#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/sim/cluster.h"
#include "core/sim/diagnosis.h"
#include "core/sim/pod.h"
#include "core/workloads/workspace.h"

namespace cnsched::sim {

/// What becomes of a workload's pods.
struct Simulated {
  const Workload* workload = nullptr;
  std::string never_created;  ///< why there are none; empty if there are
  const Cluster* cluster = nullptr;
  Pod pod;
  std::optional<Diagnosis> diagnosis;  ///< nothing if there are none
};

struct SimulationOptions {
  bool without_nodes = true;  ///< look at workloads of whose cluster no node is known, too
  Cluster::View view = Cluster::View::now;
  /// Whether the admission plugin runs; nothing: as far as facts tell.
  std::optional<bool> extended_resource_toleration{};
};

/// Every workload that the linted files ask for, in their order, on the nodes that are known. The
/// run has to outlive it.
class Simulation {
 public:
  Simulation(const Workspace& run, const SimulationOptions& options);
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  const std::vector<Simulated>& workloads() const { return workloads_; }
  const SimulationOptions& options() const { return options_; }
  /// Whether there is any node to place a pod on.
  bool has_nodes() const;

 private:
  const Cluster& cluster_for(const k8s::Object& object);
  Simulated simulated(const Workload& workload);

  const Workspace& run_;
  SimulationOptions options_;
  std::map<const ClusterFacts*, std::unique_ptr<const Cluster>> clusters_;
  std::vector<Simulated> workloads_;
};

}  // namespace cnsched::sim
