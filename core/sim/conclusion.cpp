#include "core/sim/conclusion.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "core/base/text.h"
#include "core/sim/plugin.h"

namespace cnsched::sim {

namespace {

bool is_device_request(const k8s::Request& request) {
  return request.amount > 0 && k8s::is_extended_resource(request.name);
}

/// The nodes that no filter of `plugins` certainly rejects.
NodeSet passed_by(std::initializer_list<const Plugin*> plugins, const Diagnosis& diagnosis) {
  NodeSet passed = diagnosis.cluster().all();
  for (const Rejection& rejection : diagnosis.rejections()) {
    if (is_one_of(rejection.plugin, plugins) && rejection.is_certain) passed -= rejection.nodes;
  }
  return passed;
}

bool requests_devices(const Simulated& simulated) {
  return std::ranges::any_of(simulated.pod.requests, is_device_request);
}

/// Whether the pod selects a node, with a device that it requests if it requests any.
bool selects_node(const Simulated& simulated) {
  const NodeSet selected = passed_by({&node_affinity}, *simulated.diagnosis);
  if (!requests_devices(simulated)) return !selected.empty();
  bool found = false;
  selected.each([&](std::size_t node) {
    found =
        found || std::ranges::any_of(simulated.pod.requests, [&](const k8s::Request& request) {
          return is_device_request(request) && has_devices(node, request.name, *simulated.cluster);
        });
  });
  return found;
}

/// Whether no pool gets a node for a pod that no existing node accepts.
bool is_stuck(const Simulated& simulated, const Outlook& outlook) {
  const NodeSet undecided = simulated.diagnosis->unknown() - simulated.cluster->autoscaled();
  // A hardware profile may replace the pod's selector.
  return undecided.empty() && outlook.is_hopeless() && simulated.pod.unknown_profile.empty() &&
         other_scheduler(simulated.pod, *simulated.cluster).empty();
}

/// Whether other nodes do not help: Kueue never admits the pod, or it is invalid or lacks an
/// object.
bool is_rejected_as_whole(const Simulated& simulated) {
  const Diagnosis& diagnosis = *simulated.diagnosis;
  const Rejection* whole = diagnosis.of_pod();
  return !simulated.pod.never_admitted.empty() || !diagnosis.failure().empty() ||
         (whole != nullptr && whole->plugin != &node_affinity_pre_filter);
}

/// Whether one value of the pod is nearly that of a node.
bool is_misspelling(const Advice* advice) {
  return advice != nullptr && !advice->suggestions.empty() &&
         advice->suggestions.front().fixes.size() == 1 &&
         advice->suggestions.front().fixes.front().cost == 0;
}

/// Of a pod that no given node accepts, and that no given pool gets a node for.
Conclusion without_node(const Simulated& simulated, const Advice* advice) {
  using enum Conclusion;
  const Diagnosis& diagnosis = *simulated.diagnosis;
  const Cluster& cluster = *simulated.cluster;
  if (may_be_changed(*simulated.workload)) return unknown;
  if (is_rejected_as_whole(simulated)) return nowhere;
  const bool has_pools = !cluster.autoscaled().empty();
  const Conclusion needs_nodes = has_pools ? needs_other_nodes : needs_new_nodes;
  if (is_unconstrained(simulated)) {
    const NodeSet others = passed_by({&taint_toleration, &volume_binding, &volume_zone}, diagnosis);
    return others.empty() ? needs_nodes : nowhere;
  }
  const bool has_all = has_pools && cluster.autoscaled() != cluster.all();
  if (has_all || is_misspelling(advice)) return nowhere;
  const bool selects =
      has_pools ? diagnosis.fits_nowhere() && !passed_by({&node_affinity}, diagnosis).empty()
                : selects_node(simulated);
  return selects ? nowhere : needs_nodes;
}

}  // namespace

bool is_unconstrained(const Simulated& simulated) {
  return !simulated.workload->has_placement_constraint() && !requests_devices(simulated);
}

Conclusion conclusion_on(const Simulated& simulated, const Outlook* outlook, const Advice* advice) {
  using enum Conclusion;
  const Workload& workload = *simulated.workload;
  if (!simulated.diagnosis) {
    const bool is_certain = workload.is_failure() && !workload.never_created->is_doubtful;
    return is_certain ? never_created : no_pod;
  }
  const Pod& pod = simulated.pod;
  if (!pod.not_created.reason.empty()) {
    return pod.not_created.by != nullptr && pod.policy.is_assumed ? unknown : never_created;
  }
  if (simulated.preempts()) return preempts;
  const bool may_get_node = outlook != nullptr && outlook->choice() != nullptr;
  if (simulated.diagnosis->fits_nowhere()) {
    return may_get_node ? unknown : without_node(simulated, advice);
  }
  if (outlook != nullptr && is_stuck(simulated, *outlook)) return without_node(simulated, advice);
  return simulated.diagnosis->feasible().empty() ? unknown : fits;
}

bool are_nodes_meant_for(const Simulated& simulated) {
  const Cluster& cluster = *simulated.cluster;
  if (is_unconstrained(simulated)) return false;
  if (cluster.autoscaled().empty()) return true;
  bool is_configured = false;
  cluster.all().each([&](std::size_t node) {
    is_configured = is_configured || cluster.node(node).object == nullptr;
  });
  return requests_devices(simulated) && !is_configured;
}

bool may_be_changed(const Workload& workload) {
  return workload.scope->workspace().may_get_field(
      *workload.object,
      {"affinity", "limits", "nodeSelector", "requests", "resources", "tolerations"});
}

bool lacks_node(Conclusion conclusion) {
  using enum Conclusion;
  return conclusion == nowhere || conclusion == needs_other_nodes || conclusion == needs_new_nodes;
}

bool is_failure(Conclusion conclusion) {
  using enum Conclusion;
  return lacks_node(conclusion) || conclusion == never_created;
}

std::string_view name_of(Conclusion conclusion) {
  constexpr auto kNames =
      std::to_array<std::string_view>({"fits", "preempts", "nowhere", "needsOtherNodes",
                                       "needsNewNodes", "unknown", "noPod", "neverCreated"});
  return kNames[static_cast<std::size_t>(conclusion)];
}

}  // namespace cnsched::sim
