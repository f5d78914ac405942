#include <algorithm>
#include <array>
#include <unordered_set>
#include <vector>

#include "core/accelerators/catalogue.h"
#include "core/accelerators/resource_name.h"
#include "core/workloads/injected_placement.h"
#include "core/workloads/patch.h"
#include "rules/engine/each.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Workspace& run, Report& report);

extern constinit const Rule toleration_toleration_without_selector = {
    .id = "toleration-without-selector",
    .severity = Severity::warning,
    .depends_on_run = true,
    .summary = "a taint is tolerated, but nothing puts the pod on the tainted nodes",
    .why =
        "A model server meant for nodes of its own ends up beside everything else: a toleration "
        "permits, it does not attract, so the scheduler may still put the pod on any node without "
        "the taint. A node selector, a required node affinity or a request for an extended "
        "resource such as nvidia.com/gpu puts it on its nodes.\n\n"
        "The rule is silent where a preferred node affinity names the same key, for that is a "
        "soft pool, and on a toleration that the pod inherits from an object shared with a pod "
        "that does select its nodes.",
    .bad = R"(
tolerations:
- {key: dedicated, operator: Equal, value: inference, effect: NoSchedule}
model:
  modelFormat: {name: sklearn}
)",
    .good = R"(
nodeSelector:
  dedicated: inference
tolerations:
- {key: dedicated, operator: Equal, value: inference, effect: NoSchedule}
model:
  modelFormat: {name: sklearn}
)",
    .source =
        "https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/"
        "#example-use-cases",
    .check = check,
};

/// Taints that a pod may tolerate without meaning to go there: they come and go with a node's
/// condition, or mark the control plane, spare capacity or another architecture.
static bool only_permits(std::string_view key) {
  constexpr auto kPrefixes = std::to_array<std::string_view>(
      {"node.kubernetes.io/", "node.cloudprovider.kubernetes.io/", "node-role.kubernetes.io/",
       "karpenter.sh/", "cloud.google.com/gke-spot", "cloud.google.com/gke-preemptible"});
  constexpr auto kKeys = std::to_array<std::string_view>(
      {"CriticalAddonsOnly", "kubernetes.io/arch", "kubernetes.azure.com/scalesetpriority"});
  return std::ranges::any_of(kPrefixes, [&](auto prefix) { return key.starts_with(prefix); }) ||
         std::ranges::find(kKeys, key) != kKeys.end() || key.ends_with("/agent-not-ready");
}

static bool means_nodes_of_its_own(const k8s::Toleration& t) {
  return !t.key.empty() && !only_permits(t.key) && t.effect != k8s::kPreferNoSchedule;
}

/// Who else decides where the pod goes: another scheduler, what may bring a node selector, or
/// KServe, which counts out the GPUs of a multi-node predictor itself.
static bool is_placed_by_others(const Workload& workload) {
  const std::string_view scheduler = workload.pod["schedulerName"].text();
  return (!scheduler.empty() && scheduler != "default-scheduler") ||
         gets_placement_from_others(workload) || workload.component.ends_with("worker") ||
         (*workload.written)["workerSpec"];
}

/// Whether selector, required affinity or a device puts the pod on certain nodes.
static bool is_placed(const Workload& workload) {
  return workload.is_led_somewhere() || workload.pod.wants(k8s::is_extended_resource);
}

using Objects = std::unordered_set<const k8s::Object*>;

/// What is built into a pod that is placed: its tolerations are for that one.
static Objects bases_of_placed(const Workspace& run) {
  Objects bases;
  for (const Workload& workload : run.workloads()) {
    if (workload.fragment || workload.bases.empty() || !is_placed(workload)) continue;
    for (const k8s::Base& base : workload.bases) bases.insert(base.object);
  }
  return bases;
}

/// Whether a preference names the nodes by the same key: who wants a soft pool says so.
static bool is_preferred(const Workload& workload, std::string_view key) {
  const auto terms = workload.pod.preferred_terms();
  return std::ranges::any_of(terms, [&](const k8s::NodeSelectorTerm& term) {
    return std::ranges::find(term.expressions, key, &k8s::Requirement::key) !=
           term.expressions.end();
  });
}

/// The tolerations that are to put the pod somewhere and do not; the object's own first.
static std::vector<k8s::Toleration> vain_tolerations(const Workload& workload,
                                                     const Objects& bases_of_others,
                                                     const Workspace& run) {
  const auto is_own = [&](const k8s::Toleration& t) {
    return run.object_around(t.node->span) == workload.object;
  };
  std::vector<k8s::Toleration> tolerations = workload.pod.tolerations();
  std::erase_if(tolerations, [&](const k8s::Toleration& t) {
    return !means_nodes_of_its_own(t) || is_preferred(workload, t.key) ||
           (!is_own(t) && bases_of_others.contains(run.object_around(t.node->span)));
  });
  std::ranges::stable_partition(tolerations, is_own);
  return tolerations;
}

/// Begins at the toleration, or, where that is shared by others, at the name of the pod's object.
static Report::Finding begin_finding(const Workload& workload, const k8s::Toleration& first,
                                     Report& report) {
  const k8s::Object* author = report.run().object_around(first.node->span);
  const yaml::Node& name = (*workload.object)["metadata"]["name"];
  const bool is_shared = author != workload.object && author != nullptr && name;
  auto finding = report.add(is_shared ? name : (*first.node)["key"],
                            "taint '{}' is tolerated, but nothing puts the pod on the nodes that "
                            "carry it: it may run on any other node",
                            first.key);
  if (is_shared) {
    finding.note((*first.node)["key"], "{} '{}' tolerates it", author->kind, author->name);
  }
  return finding;
}

static void check_pod(const Workload& workload, const Objects& bases_of_others, Report& report) {
  if (!workload.never_created.empty() || is_patch(workload, report.run())) return;
  if (workload.fragment || workload.object->kind == "DaemonSet") return;
  if (!workload.takes_placement_advice() || workload.is_incomplete()) return;
  if (is_placed_by_others(workload)) return;
  if (is_placed(workload)) return;
  // By a wrong name, or in a wrong place: that is the mistake.
  if (accelerators::asks_in_vain(workload.own) || accelerators::asks_in_vain(workload.pod)) return;

  const std::vector<k8s::Toleration> tolerations =
      vain_tolerations(workload, bases_of_others, report.run());
  if (tolerations.empty()) return;
  const k8s::Toleration& first = tolerations.front();
  auto finding = begin_finding(workload, first, report);
  for (const k8s::Toleration& other : std::span(tolerations).subspan(1)) {
    finding.note((*other.node)["key"], "the same goes for '{}'", other.key);
  }
  if (accelerators::is_accelerator(first.key)) {
    finding.help("ask for '{}' if the pod uses one, otherwise remove the toleration", first.key);
  } else {
    finding.help("add a nodeSelector with a label of those nodes beside the tolerations");
  }
}

static void check(const Workspace& run, Report& report) {
  const Objects bases_of_others = bases_of_placed(run);
  each_linted_pod(run, report,
                  [&](const Workload& workload) { check_pod(workload, bases_of_others, report); });
}

}  // namespace cnsched::rules
