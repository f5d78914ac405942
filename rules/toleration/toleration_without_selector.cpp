#include <algorithm>
#include <array>
#include <unordered_set>
#include <vector>

#include "core/accelerators/catalogue.h"
#include "core/accelerators/resource_name.h"
#include "core/workspace/workload.h"
#include "rules/rule.h"

namespace cnsched::rules::toleration_without_selector {

/// Whether a pod may tolerate the taint without needing the tainted nodes: the taint follows a
/// node's condition, or marks the control plane, spare capacity or another architecture.
static bool is_general_taint(std::string_view key) {
  constexpr auto kPrefixes = std::to_array<std::string_view>(
      {"node.kubernetes.io/", "node.cloudprovider.kubernetes.io/", "node-role.kubernetes.io/",
       "karpenter.sh/", "cloud.google.com/gke-spot", "cloud.google.com/gke-preemptible"});
  constexpr auto kKeys = std::to_array<std::string_view>(
      {"CriticalAddonsOnly", "kubernetes.io/arch", "kubernetes.azure.com/scalesetpriority"});
  return std::ranges::any_of(kPrefixes, [&](auto prefix) { return key.starts_with(prefix); }) ||
         std::ranges::find(kKeys, key) != kKeys.end() || key.ends_with("/agent-not-ready");
}

static bool names_dedicated_nodes(const k8s::Toleration& t) {
  return !t.key.empty() && !is_general_taint(t.key) && t.effect != k8s::kPreferNoSchedule;
}

/// Whether something else decides on the node: another scheduler, an object that may add a node
/// selector, or KServe, which sets the GPUs of a multi-node predictor.
static bool is_placed_by_others(const Workload& workload) {
  const std::string_view scheduler = workload.pod["schedulerName"].text();
  return (!scheduler.empty() && scheduler != "default-scheduler") ||
         gets_placement_from_others(workload) || workload.component.ends_with("worker") ||
         (*workload.written)["workerSpec"];
}

/// Whether a selector, a required affinity or a device restricts the pod to certain nodes.
static bool is_placed(const Workload& workload) {
  return workload.has_placement_constraint() ||
         workload.pod.requests_resource(k8s::is_extended_resource);
}

using Objects = std::unordered_set<const k8s::Object*>;

/// The base layers of pods that are restricted to certain nodes; their tolerations are for those
/// pods.
static Objects bases_of_placed(const ClusterScope& scope) {
  Objects bases;
  for (const Workload& workload : scope.workloads()) {
    if (workload.fragment || workload.bases.empty() || !is_placed(workload)) continue;
    for (const k8s::Base& base : workload.bases) bases.insert(base.object);
  }
  return bases;
}

/// Whether a preferred node affinity names the same key: the author accepts other nodes.
static bool is_preferred(const Workload& workload, std::string_view key) {
  const auto terms = workload.pod.preferred_terms();
  return std::ranges::any_of(terms, [&](const k8s::NodeSelectorTerm& term) {
    return std::ranges::find(term.expressions, key, &k8s::Requirement::key) !=
           term.expressions.end();
  });
}

/// The tolerations of taints on nodes that nothing selects; the object's own first.
static std::vector<k8s::Toleration> unselected_tolerations(const Workload& workload,
                                                           const Objects& bases_of_others,
                                                           const ClusterScope& scope) {
  const auto is_own = [&](const k8s::Toleration& t) {
    return scope.object_around(t.node->span) == workload.object;
  };
  std::vector<k8s::Toleration> tolerations = workload.pod.tolerations();
  std::erase_if(tolerations, [&](const k8s::Toleration& t) {
    return !names_dedicated_nodes(t) || is_preferred(workload, t.key) ||
           (!is_own(t) && bases_of_others.contains(scope.object_around(t.node->span)));
  });
  std::ranges::stable_partition(tolerations, is_own);
  return tolerations;
}

/// Places the finding at the toleration, or at the name of the pod's object if the toleration is in
/// a shared object.
static Findings::Finding begin_finding(const Workload& workload, const k8s::Toleration& first,
                                       Findings& findings) {
  const k8s::Object* author = findings.scope().object_around(first.node->span);
  const yaml::Node& name = (*workload.object)["metadata"]["name"];
  const bool is_shared = author != workload.object && author != nullptr && name;
  auto finding = findings.add(is_shared ? name : (*first.node)["key"],
                              "the pod tolerates the taint '{}', but no node selector or affinity "
                              "requires the nodes with that taint: the pod may run on other nodes",
                              first.key);
  if (is_shared) {
    finding.note((*first.node)["key"], "{} '{}' has the toleration", author->kind, author->name);
  }
  return finding;
}

static void check_pod(const Workload& workload, const Objects& bases_of_others,
                      Findings& findings) {
  if (is_placed_by_others(workload)) return;
  if (is_placed(workload)) return;
  // The request has a wrong name or place, which other rules report.
  if (accelerators::requests_unobtainable(workload.own) ||
      accelerators::requests_unobtainable(workload.pod))
    return;

  const std::vector<k8s::Toleration> tolerations =
      unselected_tolerations(workload, bases_of_others, findings.scope());
  if (tolerations.empty()) return;
  const k8s::Toleration& first = tolerations.front();
  auto finding = begin_finding(workload, first, findings);
  for (const k8s::Toleration& other : std::span(tolerations).subspan(1)) {
    finding.note((*other.node)["key"], "the same applies to '{}'", other.key);
  }
  if (accelerators::is_accelerator(first.key)) {
    finding.help("request '{}' if the pod uses it; otherwise remove the toleration", first.key);
  } else {
    finding.help("add a nodeSelector with a label of those nodes");
  }
}

static void check(const ClusterScope& scope, Findings& findings) {
  const Objects bases_of_others = bases_of_placed(scope);
  each_linted_pod(
      scope, findings, Domain::finished | Domain::no_patches | Domain::placed | Domain::scheduled,
      [&](const Workload& workload) { check_pod(workload, bases_of_others, findings); });
}

extern constinit const Rule rule = {
    .id = "toleration-without-selector",
    .severity = Severity::warning,
    .depends_on_workspace = true,
    .check = check,
};

}  // namespace cnsched::rules::toleration_without_selector
