#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/sim/cluster.h"
#include "core/sim/diagnosis.h"
#include "core/sim/kueue.h"
#include "core/sim/pod.h"
#include "core/sim/preemption.h"
#include "core/sim/resource_quota.h"
#include "core/workspace/cluster_scope.h"

namespace cnsched::sim {

/// The verdict on a pod that Kueue has started with some of the flavors that are possible.
struct FlavorVerdict {
  FlavorChoice choice;
  Diagnosis diagnosis;
};

/// The nodes on which a workload's pods can run.
struct Simulated {
  const Workload* workload = nullptr;
  const Cluster* cluster = nullptr;
  Pod pod;                             ///< with the flavors that Kueue tries first
  std::optional<Diagnosis> diagnosis;  ///< nothing if there are no pods (why_no_pod)
  QueueOutlook queue{};
  std::vector<FlavorVerdict> by_flavor{};  ///< in the order of `queue.choices`
  Preemption preemption{};                 ///< if the pod fits nowhere; not of View::lasting

  /// Why there are no pods: they are never created, or no node matches the DaemonSet, whose
  /// controller creates pods for matching nodes only. Empty if there are pods.
  std::string_view why_no_pod() const;
  /// Whether the pod fits after the scheduler has evicted other pods.
  bool preempts() const { return preemption.node.has_value(); }
  /// What kube-scheduler says of the pod; empty if the pod is never created.
  std::string event() const { return diagnosis ? event_of(*diagnosis, preemption) : std::string(); }
  QuotaDemand quota_demand{};
  /// Of its replicas, how many the ResourceQuotas admit. Nothing if no quota applies.
  std::optional<QuotaOutcome> quota{};

  /// "ResourceQuotas admit 2 of 3 replicas; then: Error creating: …"; empty if they admit none or
  /// all.
  std::string quota_note() const;
};

struct SimulationOptions {
  bool without_nodes = true;  ///< include workloads for whose cluster no node is known
  Cluster::View view = Cluster::View::now;
  /// Whether the admission plugin is enabled; if empty, the facts decide.
  std::optional<bool> extended_resource_toleration{};
  std::function<bool(const Workload&)> is_simulated{};  ///< empty: every workload is
  /// Shared by copies. Those of `lint`, which places no replicas, are no limit in practice.
  std::shared_ptr<Steps> steps = std::make_shared<Steps>(2'000'000'000);
};

/// Every workload of the linted files, by scope, on the nodes that are known. The workspace
/// must outlive it.
class Simulation {
 public:
  Simulation(const Workspace& workspace, const SimulationOptions& options);
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  const std::vector<Simulated>& workloads() const { return workloads_; }
  const SimulationOptions& options() const { return options_; }
  /// Whether there is any node to place a pod on.
  bool has_nodes() const;

 private:
  Cluster& cluster_for(const Workload& workload);
  Simulated simulated(const Workload& workload);
  void check_quotas(Simulated& simulated);

  SimulationOptions options_;
  Arena arena_;  ///< of the pods
  std::map<const facts::ClusterFacts*, std::unique_ptr<Cluster>> clusters_;
  std::map<const Cluster*, QuotaLedger> ledgers_;
  std::vector<Simulated> workloads_;
};

}  // namespace cnsched::sim
