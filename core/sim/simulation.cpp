#include "core/sim/simulation.h"

#include <algorithm>

namespace cnsched::sim {

namespace {

/// A Pod that was printed from a cluster has its place already.
bool runs_already(const Workload& workload) {
  const k8s::Object& object = *workload.object;
  return object.is("", "Pod") && object["status"]["phase"] &&
         !object.spec()["nodeName"].text().empty();
}

bool is_wanted(const Workload& workload, const Workspace& workspace) {
  return !workload.fragment && workspace.is_linted(*workload.object) &&
         !workspace.is_patch(*workload.object) && !runs_already(workload);
}

}  // namespace

Simulation::Simulation(const Workspace& workspace, const SimulationOptions& options)
    : workspace_(workspace), options_(options) {
  for (const Workload& workload : workspace.workloads()) {
    if (!is_wanted(workload, workspace)) continue;
    if (!options.without_nodes && cluster_for(*workload.object).size() == 0) continue;
    workloads_.push_back(simulated(workload));
  }
}

bool Simulation::has_nodes() const {
  return std::ranges::any_of(clusters_, [](const auto& entry) { return entry.second->size() > 0; });
}

const Cluster& Simulation::cluster_for(const k8s::Object& object) {
  const ClusterFacts& facts = workspace_.facts(object);
  std::unique_ptr<const Cluster>& cluster = clusters_[&facts];
  if (cluster == nullptr) {
    cluster = std::make_unique<const Cluster>(workspace_, facts, options_.view,
                                              options_.extended_resource_toleration);
  }
  return *cluster;
}

Simulated Simulation::simulated(const Workload& workload) {
  Simulated result{.workload = &workload};
  result.cluster = &cluster_for(*workload.object);
  if (workload.never_created) return result;
  result.pod = admitted(workload, result.cluster->admission(), workspace_.index());
  result.diagnosis.emplace(result.pod, *result.cluster);
  return result;
}

}  // namespace cnsched::sim
