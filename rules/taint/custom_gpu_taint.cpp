#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "core/accelerators/catalogue.h"
#include "core/k8s/managed_taint.h"
#include "rules/rule.h"
#include "rules/taint/pools.h"

namespace cnsched::rules {

static void check(const k8s::Object& object, Report& report);

extern constinit const Rule taint_custom_gpu_taint = {
    .id = "custom-gpu-taint",
    .severity = Severity::warning,
    .summary = "a taint of a GPU node keeps the device plugin away, so the node has no GPUs",
    .why =
        "A device plugin (a DaemonSet) has to run on a node before the node has GPUs to offer. "
        "NVIDIA's manifests, chart and operator tolerate the taint nvidia.com/gpu with effect "
        "NoSchedule and no other; AMD's plugin tolerates none. On a node with another taint the "
        "plugin does not start, the node stays without nvidia.com/gpu, and every pod that "
        "asks for a GPU waits with 'Insufficient nvidia.com/gpu', even if it tolerates the taint. "
        "An error where the run or the configuration shows a plugin that does not tolerate the "
        "taint; silent where it does, where a GPU is allocatable already, and where the "
        "provider's own plugin tolerates everything (GKE) or all taints of the pool (eksctl).",
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

static std::string described(std::string_view key, std::string_view effect) {
  return fmt::format("{}:{}", key, effect);
}

/// Nothing tells which plugin the cluster has: its vendor's manifests are assumed.
static void report_unless_told(const NodePool& pool, const k8s::Taint& taint,
                               const DevicePlugin& plugin, Report& report) {
  const std::string shown = described(taint.key, taint.effect);
  auto finding = report.add(place_of_taint(taint),
                            "unless {} is told to tolerate the taint '{}', it cannot run here and "
                            "the node offers no {}",
                            plugin.name, shown, plugin.resource);
  finding.note(*pool.evidence, "this says that the nodes have accelerators");
  if (plugin.tolerated_taint.empty()) {
    finding.help("add a toleration for '{}' to the plugin's DaemonSet: its manifests have none",
                 shown);
  } else {
    finding.help(
        "taint with '{}', which the plugin tolerates by itself, or add a toleration for "
        "'{}' to the plugin",
        described(plugin.tolerated_taint, k8s::kNoSchedule), shown);
  }
  note_workloads(pool, taint, report, finding);
}

static std::string_view remark_on(const PluginFact& plugin) {
  if (plugin.tolerations.empty()) return "it has no tolerations";
  const bool written = plugin.tolerations.front().node != nullptr;
  return written ? "it tolerates only this" : "it has only its default tolerations";
}

/// The run or the configuration shows a plugin that does not tolerate the taint.
static void report_refused(const NodePool& pool, const k8s::Taint& taint,
                           const DevicePlugin& plugin, const PluginFact& known, Report& report) {
  const std::string shown = described(taint.key, taint.effect);
  auto finding = report.add(place_of_taint(taint),
                            "the taint '{}' is not tolerated by {}: the device plugin cannot run "
                            "here, and the node offers no {}",
                            shown, known.what, plugin.resource);
  finding.severity(Severity::error)
      .note(*known.where, "{}", remark_on(known))
      .note(*pool.evidence, "this says that the nodes have accelerators");
  const k8s::Taint usual{nullptr, plugin.resource, "", k8s::kNoSchedule};
  if (k8s::tolerated(usual, known.tolerations)) {
    finding.help("taint with '{}' instead, or add a toleration for '{}' to the plugin",
                 described(usual.key, usual.effect), shown);
  } else {
    finding.help("add a toleration for '{}' to the plugin", shown);
  }
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
