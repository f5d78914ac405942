#include "core/sim/simulation.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/sim/nominated_pods.h"
#include "core/sim/plugin.h"

namespace cnsched::sim {

namespace {

/// Whether the Pod was printed from a cluster and already has a node.
bool is_running_pod(const Workload& workload) {
  const k8s::Object& object = *workload.object;
  return object.is("", "Pod") && object["status"]["phase"] &&
         !object.spec()["nodeName"].text().empty();
}

bool is_simulated(const Workload& workload) {
  const ClusterScope& scope = *workload.scope;
  return !workload.fragment && scope.is_linted(*workload.object) &&
         !scope.is_patch(*workload.object) && !is_running_pod(workload);
}

/// Judges the pod with each choice of flavors. The pod becomes that of the first choice.
void add_queue(Simulated& simulated, Cluster& cluster) {
  const QueueOutlook& queue = simulated.queue;
  if (queue.queue.empty()) return;
  Pod& pod = simulated.pod;
  if (pod.unknown_base.empty()) pod.unknown_base = queue.unknown;
  pod.never_admitted = queue.blocked;
  const Pod without_flavors = pod;
  const k8s::Objects& objects = simulated.workload->scope->index();
  for (const FlavorChoice& choice : queue.choices) {
    const Pod started = with_flavors(without_flavors, choice, *simulated.workload, objects);
    if (simulated.by_flavor.empty()) pod = started;
    simulated.by_flavor.push_back({choice, diagnose(started, cluster)});
  }
}

/// Whether the controller of the DaemonSet creates no pod on any node. Source:
/// pkg/controller/daemon/daemon_controller.go, NodeShouldRunDaemonPod.
bool is_daemon_without_node(const Workload& workload, const Diagnosis& diagnosis) {
  const Cluster& cluster = diagnosis.cluster();
  if (workload.object->kind != "DaemonSet" || cluster.size() == 0) return false;
  NodeSet matching = cluster.all();
  for (const Rejection& rejection : diagnosis.rejections()) {
    const bool is_of_controller =
        rejection.plugin == &node_affinity || rejection.plugin == &node_affinity_pre_filter ||
        rejection.plugin == &node_name || rejection.plugin == &taint_toleration;
    if (is_of_controller && rejection.is_certain) matching -= rejection.nodes;
  }
  return matching.empty();
}

Diagnosis combined(const std::vector<FlavorVerdict>& verdicts) {
  std::vector<NamedDiagnosis> named;
  for (const FlavorVerdict& verdict : verdicts) {
    named.push_back({verdict.choice.text(), &verdict.diagnosis});
  }
  return Diagnosis::of_any(named);
}

}  // namespace

std::string_view Simulated::why_no_pod() const {
  if (diagnosis) return {};
  return workload->never_created ? workload->why_never_created()
                                 : "no node matches the selector and tolerations of the DaemonSet";
}

std::string Simulated::quota_note() const {
  if (!quota || quota->admitted == 0 || quota->rejected.empty()) return {};
  return fmt::format("the ResourceQuotas of the namespace admit {} of {} replicas; then: {}",
                     quota->admitted, workload->replicas.value_or(1),
                     cnsched::not_created(*workload, quota->rejected, quota->by).event);
}

Simulation::Simulation(const Workspace& workspace, const SimulationOptions& options)
    : options_(options) {
  for (const ClusterScope& scope : workspace.scopes()) {
    for (const Workload& workload : scope.workloads()) {
      if (!is_simulated(workload)) continue;
      if (options.is_simulated && !options.is_simulated(workload)) continue;
      const Cluster& cluster = cluster_for(workload);
      const bool is_reported = options.without_nodes || cluster.size() > 0;
      if (!is_reported && !cluster.admission().may_reject()) continue;
      Simulated result = simulated(workload);
      if (!is_reported && result.pod.not_created.reason.empty()) continue;
      workloads_.push_back(std::move(result));
    }
  }
}

bool Simulation::has_nodes() const {
  return std::ranges::any_of(clusters_, [](const auto& entry) { return entry.second->size() > 0; });
}

Cluster& Simulation::cluster_for(const Workload& workload) {
  const facts::ClusterFacts& facts = workload.scope->facts(*workload.object);
  std::unique_ptr<Cluster>& cluster = clusters_[&facts];
  if (cluster == nullptr) {
    cluster = std::make_unique<Cluster>(*workload.scope, facts, options_.view,
                                        options_.extended_resource_toleration, options_.steps);
  }
  return *cluster;
}

/// Each workload is judged alone: with what the running pods use.
void Simulation::check_quotas(Simulated& simulated) {
  Pod& pod = simulated.pod;
  if (pod.policy.objects.quotas.empty() || !pod.not_created.reason.empty()) return;
  const Cluster& cluster = *simulated.cluster;
  simulated.quota_demand = quota_demand(pod, pod.policy, cluster);
  if (simulated.quota_demand.quotas.empty()) return;
  QuotaLedger& ledger = ledgers_.try_emplace(&cluster, cluster).first->second;
  const std::int64_t wanted = std::max<std::int64_t>(simulated.workload->replicas.value_or(1), 1);
  simulated.quota = ledger.outcome(simulated.quota_demand, wanted);
  const QuotaOutcome& quota = *simulated.quota;
  if (quota.admitted == 0) {
    pod.not_created = not_created(*simulated.workload, quota.rejected, quota.by);
    if (simulated.quota_demand.is_default_assumed) {
      pod.assumptions.push_back(
          fmt::format("namespace '{}' has no LimitRange that sets defaults (none is given)",
                      printable(pod.policy.ns.name)));
    }
  } else if (!quota.unknown.empty()) {
    pod.creation_unknown.push_back(quota.unknown + " is not known");
  }
}

Simulated Simulation::simulated(const Workload& workload) {
  Simulated result{.workload = &workload};
  Cluster& cluster = cluster_for(workload);
  result.cluster = &cluster;
  if (workload.never_created) return result;
  result.pod = admitted(workload, result.cluster->admission(), workload.scope->index(), arena_);
  check_quotas(result);
  result.queue = queue_outlook(workload, result.pod, workload.scope->index());
  add_queue(result, cluster);
  if (result.by_flavor.empty()) {
    result.diagnosis = diagnose(result.pod, cluster);
  } else {
    result.diagnosis = combined(result.by_flavor);
  }
  if (result.pod.not_created.reason.empty() &&
      is_daemon_without_node(workload, *result.diagnosis)) {
    result.diagnosis.reset();
    return result;
  }
  if (options_.view == Cluster::View::now && result.diagnosis->fits_nowhere()) {
    result.preemption = preempt(result.pod, *result.diagnosis, cluster);
  }
  return result;
}

}  // namespace cnsched::sim
