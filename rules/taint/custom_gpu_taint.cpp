#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "core/accelerators/catalogue.h"
#include "core/accelerators/resource_name.h"
#include "core/k8s/managed_taint.h"
#include "core/workloads/pool_fit.h"
#include "rules/rule.h"
#include "rules/taint/pools.h"

namespace cnsched::rules {

static void check(const k8s::Object& object, Report& report);

extern constinit const Rule taint_custom_gpu_taint = {
    .id = "custom-gpu-taint",
    .severity = Severity::warning,
    .depends_on_run = true,
    .summary = "a taint on a GPU node that its device plugin does not tolerate",
    .why =
        "The node stays without nvidia.com/gpu, and every pod that asks for a GPU stays Pending "
        "with 'Insufficient nvidia.com/gpu', even if it tolerates the taint: a device plugin (a "
        "DaemonSet) has to run on a node before the node has GPUs to offer, and it does not start "
        "where it does not tolerate a taint. Of the taints that GPU nodes get, NVIDIA's "
        "manifests, chart and operator tolerate nvidia.com/gpu with effect NoSchedule only; AMD's "
        "plugin tolerates none.\n\n"
        "An error where the linted files, those given by --cluster or the configuration show a "
        "plugin that does not tolerate the taint. Silent where they show one that does, where a "
        "GPU is allocatable already, and where the provider's own plugin tolerates everything "
        "(GKE) or all taints of the pool (eksctl), or runs outside of Kubernetes (Bottlerocket).",
    .bad = R"(
apiVersion: v1
kind: Node
metadata:
  name: gpu-1
  labels:
    nvidia.com/gpu.product: NVIDIA-L4
spec:
  taints:
  - {key: dedicated, value: inference, effect: NoSchedule}
)",
    .good = R"(
apiVersion: v1
kind: Node
metadata:
  name: gpu-1
  labels:
    nvidia.com/gpu.product: NVIDIA-L4
spec:
  taints:
  - {key: nvidia.com/gpu, value: present, effect: NoSchedule}
)",
    .source =
        "https://github.com/NVIDIA/k8s-device-plugin/blob/main/deployments/static/"
        "nvidia-device-plugin.yml",
    .check = check,
    .fix = Safety::unsafe,
};

using accelerators::DevicePlugin;

/// What the plugin's own manifests tolerate.
static bool tolerates_by_itself(const DevicePlugin& plugin, const k8s::Taint& taint) {
  return !plugin.tolerated_taint.empty() && taint.key == plugin.tolerated_taint &&
         taint.effect == k8s::kNoSchedule;
}

/// Only GKE's labels speak of the accelerator: its own plugin tolerates everything. With
/// nvidia.com/ labels beside them, NVIDIA's stack is installed.
static bool is_managed_by_gke(const NodePool& pool) {
  const auto has = [&](std::string_view prefix) {
    return std::ranges::any_of(
        pool.labels, [&](const k8s::Label& label) { return label.key.starts_with(prefix); });
  };
  return has("cloud.google.com/gke-") && !has("nvidia.com/");
}

/// Adds the pods of the run that count on the pool: they select it, and ask for its accelerators or
/// tolerate the taint.
static void note_workloads(const NodePool& pool, const k8s::Taint& taint, const Report& report,
                           Report::Finding& finding) {
  constexpr std::size_t kMost = 10;  // thousands of pods may count on thousands of pools
  std::set<const k8s::Object*> noted;
  for (const Workload& workload : report.run().workloads()) {
    if (workload.fragment || noted.contains(workload.object)) continue;
    const auto tolerations = workload.pod.tolerations();
    const auto toleration = std::ranges::find_if(
        tolerations, [&](const k8s::Toleration& t) { return t.tolerates(taint); });
    if (toleration == tolerations.end()) continue;
    if (!workload.pod.is_pinned() && !workload.pod.wants(accelerators::is_accelerator)) continue;
    if (!workload.pod.selects(pool.labels)) continue;
    if (noted.size() == kMost) return;
    noted.insert(workload.object);
    finding.note(*toleration->node, "{} '{}' counts on these nodes", workload.object->kind,
                 workload.object->name);
  }
}

/// Whether the taint was surely meant to be the usual one: a slip of its key, or the right key with
/// effect NoExecute. Any other may be there for a reason.
static bool is_slip_of(const k8s::Taint& usual, const k8s::Taint& taint) {
  if (taint.key == usual.key) return (*taint.node)["effect"].text() == k8s::kNoExecute;
  if (taint.key.find('/') == std::string_view::npos || taint.effect != usual.effect) return false;
  const auto problem = accelerators::resource_name_problem(taint.key);
  return problem && problem->instead == usual.key;
}

/// Whether a pod of the run would be shut out by it.
static bool shuts_out(const k8s::Taint& usual, const k8s::Taint& taint, const Workspace& run) {
  return std::ranges::any_of(run.workloads(), [&](const Workload& workload) {
    const auto tolerations = workload.pod.tolerations();
    return k8s::tolerated(taint, tolerations) && !k8s::tolerated(usual, tolerations);
  });
}

/// Writes the usual taint of that key in place of one that was surely meant to be it.
static void add_fix(const NodePool& pool, const k8s::Taint& taint, std::string_view usual_key,
                    Report& report, Report::Finding& finding) {
  const yaml::Node& key = (*taint.node)["key"];
  const k8s::Taint usual{nullptr, usual_key, taint.value, k8s::kNoSchedule};
  if (!key.is_scalar() || !is_slip_of(usual, taint)) return;
  const bool has_it = std::ranges::any_of(pool.taints, [&](const k8s::Taint& other) {
    return other.node != taint.node && (other.key == usual.key || is_slip_of(usual, other));
  });
  if (has_it || shuts_out(usual, taint, report.run())) return;
  const bool renames = taint.key != usual.key;
  finding.fix(Safety::unsafe, fmt::format("taint with '{}' instead", to_string(usual)),
              {renames ? yaml::to_set(key, report.make_string(usual.key))
                       : yaml::to_set((*taint.node)["effect"], report.make_string(usual.effect))});
}

/// "add a toleration for the taint to the plugin", or the other way round where one is free to
/// choose the taint.
static std::string advice_on(const k8s::Taint& taint, const std::string& usual,
                             const std::string& remedy) {
  if (k8s::is_set_by_aks(taint.key)) return remedy + ": AKS sets this taint itself";
  return usual.empty() ? remedy : fmt::format("taint with '{}' instead, or {}", usual, remedy);
}

/// Nothing tells which plugin the cluster has: its vendor's manifests are assumed.
static void report_unless_told(const NodePool& pool, const k8s::Taint& taint,
                               const DevicePlugin& plugin, Report& report) {
  const std::string shown = to_string(taint);
  auto finding = report.add(place_of_taint(taint),
                            "{} does not tolerate the taint '{}' unless it is told to: the node "
                            "would offer no '{}', and pods that ask for it stay Pending",
                            plugin.name, shown, plugin.resource);
  finding.note(*pool.evidence, "this shows that the nodes have accelerators");
  const std::string usual = plugin.tolerated_taint.empty()
                                ? std::string()
                                : fmt::format("{}:{}", plugin.tolerated_taint, k8s::kNoSchedule);
  finding.help("{}", advice_on(taint, usual,
                               fmt::format("add a toleration for '{}' to the plugin{}", shown,
                                           usual.empty() ? "'s DaemonSet, which has none" : "")));
  if (!usual.empty()) add_fix(pool, taint, plugin.tolerated_taint, report, finding);
  note_workloads(pool, taint, report, finding);
}

/// Where the plugin's tolerations are written.
static std::string_view place_in(const PluginFact& plugin, const Report& report) {
  const k8s::Object* object = report.run().object_around(plugin.where->span);
  if (object == nullptr || object->kind != "ClusterPolicy") return "the plugin";
  const bool only_defaults =
      !plugin.tolerations.empty() && plugin.tolerations.front().node == nullptr;
  return only_defaults ? "spec.daemonsets.tolerations, which replaces the default list: name "
                         "'nvidia.com/gpu' there as well"
                       : "spec.daemonsets.tolerations";
}

static std::string_view remark_on(const PluginFact& plugin) {
  if (plugin.tolerations.empty()) return "it has no tolerations";
  const bool written = plugin.tolerations.front().node != nullptr;
  return written ? "it tolerates only this" : "it has only its default tolerations";
}

/// The run or the configuration shows a plugin that does not tolerate the taint.
static void report_refused(const NodePool& pool, const k8s::Taint& taint,
                           const DevicePlugin& plugin, const PluginFact& known, Report& report) {
  const std::string shown = to_string(taint);
  auto finding = report.add(place_of_taint(taint),
                            "the taint '{}' is not tolerated by {}: the device plugin cannot run "
                            "here, the node offers no '{}', and pods that ask for it stay Pending",
                            shown, known.what, plugin.resource);
  finding.severity(Severity::error)
      .note(*known.where, "{}", remark_on(known))
      .note(*pool.evidence, "this shows that the nodes have accelerators");
  const k8s::Taint usual{nullptr, plugin.resource, "", k8s::kNoSchedule};
  const bool tolerates_usual = k8s::tolerated(usual, known.tolerations);
  finding.help("{}", advice_on(taint, tolerates_usual ? to_string(usual) : "",
                               fmt::format("add a toleration for '{}' to {}", shown,
                                           place_in(known, report))));
  if (tolerates_usual) add_fix(pool, taint, usual.key, report, finding);
  note_workloads(pool, taint, report, finding);
}

static void report_taint(const NodePool& pool, const k8s::Taint& taint, Report& report) {
  const DevicePlugin& plugin = *accelerators::find_plugin(*pool.vendor);
  const PluginFact* known = nullptr;
  for (const PluginFact& fact : report.facts().plugins) {
    if (fact.vendor != *pool.vendor) continue;
    if (k8s::tolerated(taint, fact.tolerations)) return;
    if (known == nullptr) known = &fact;
  }
  if (known != nullptr) {
    report_refused(pool, taint, plugin, *known, report);
  } else if (!tolerates_by_itself(plugin, taint)) {
    report_unless_told(pool, taint, plugin, report);
  }
}

static void check(const k8s::Object& object, Report& report) {
  for (const NodePool& pool : report.facts().pools) {
    if (pool.object != &object || pool.vendor == nullptr || pool.advertises) continue;
    if (pool.brings_own_plugin || is_managed_by_gke(pool)) continue;
    if (accelerators::find_plugin(*pool.vendor) == nullptr) continue;
    for (const k8s::Taint& taint : pool.taints) {
      if (taint.repels() && !k8s::is_managed_taint(taint.key)) report_taint(pool, taint, report);
    }
  }
}

}  // namespace cnsched::rules
