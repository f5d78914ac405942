#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "core/accelerators/catalogue.h"
#include "core/accelerators/resource_name.h"
#include "core/facts/known_pools.h"
#include "core/k8s/taint.h"
#include "rules/common/wording.h"
#include "rules/rule.h"

namespace cnsched::rules::custom_gpu_taint {

using accelerators::DevicePlugin;

/// Whether the plugin's default manifests tolerate the taint.
static bool default_tolerates(const DevicePlugin& plugin, const k8s::Taint& taint) {
  return !plugin.tolerated_taint.empty() && taint.key == plugin.tolerated_taint &&
         taint.effect == k8s::kNoSchedule;
}

/// Whether only GKE's labels describe the accelerator: GKE's own plugin tolerates everything. If
/// the pool also has nvidia.com/ labels, NVIDIA's stack is installed.
static bool is_managed_by_gke(const facts::NodePool& pool) {
  const auto has = [&](std::string_view prefix) {
    return std::ranges::any_of(
        pool.labels, [&](const k8s::Label& label) { return label.key.starts_with(prefix); });
  };
  return has("cloud.google.com/gke-") && !has("nvidia.com/");
}

/// Adds notes for the pods that depend on the pool: they tolerate the taint, match the pool's
/// labels, and have a selector or request an accelerator.
static void note_workloads(const facts::NodePool& pool, const k8s::Taint& taint,
                           const Findings& findings, Findings::Finding& finding) {
  constexpr std::size_t kMaxNotes = 10;  // thousands of pods may depend on thousands of pools
  std::set<const k8s::Object*> noted;
  for (const Workload& workload : findings.scope().workloads()) {
    if (workload.fragment || noted.contains(workload.object)) continue;
    const auto tolerations = workload.pod.tolerations();
    const auto toleration = std::ranges::find_if(
        tolerations, [&](const k8s::Toleration& t) { return t.tolerates(taint); });
    if (toleration == tolerations.end()) continue;
    if (!workload.pod.is_pinned() && !workload.pod.requests_resource(accelerators::is_accelerator))
      continue;
    // A label that the description of a pool leaves out counts as absent.
    if (k8s::NodeRequirements(workload.pod).matches(pool.labels, true) != Truth::yes) continue;
    if (noted.size() == kMaxNotes) return;
    noted.insert(workload.object);
    finding.note(*toleration->node, "{} '{}' depends on these nodes", workload.object->kind,
                 workload.object->name);
  }
}

/// Whether the usual taint is most likely intended: the key is misspelt, or the effect is
/// NoExecute. Any other taint may be intended.
static bool is_misspelling_of(const k8s::Taint& usual, const k8s::Taint& taint) {
  if (taint.key == usual.key) return (*taint.node)["effect"].text() == k8s::kNoExecute;
  if (taint.key.find('/') == std::string_view::npos || taint.effect != usual.effect) return false;
  const auto problem = accelerators::resource_name_problem(taint.key);
  return problem && problem->replacement == usual.key;
}

/// Whether a pod tolerates the present taint but not the usual one.
static bool excludes_a_pod(const k8s::Taint& usual, const k8s::Taint& taint,
                           const ClusterScope& scope) {
  return std::ranges::any_of(scope.workloads(), [&](const Workload& workload) {
    const auto tolerations = workload.pod.tolerations();
    return k8s::tolerated(taint, tolerations) && !k8s::tolerated(usual, tolerations);
  });
}

/// Adds the fix that replaces a misspelt taint by the usual one.
static void add_fix(const facts::NodePool& pool, const k8s::Taint& taint,
                    std::string_view usual_key, Findings& findings, Findings::Finding& finding) {
  const yaml::Node& key = (*taint.node)["key"];
  const k8s::Taint usual{nullptr, usual_key, taint.value, k8s::kNoSchedule};
  if (!key.is_scalar() || !is_misspelling_of(usual, taint)) return;
  const bool has_it = std::ranges::any_of(pool.taints, [&](const k8s::Taint& other) {
    return other.node != taint.node && (other.key == usual.key || is_misspelling_of(usual, other));
  });
  if (has_it || excludes_a_pod(usual, taint, findings.scope())) return;
  const bool renames = taint.key != usual.key;
  finding.fix(
      Safety::unsafe, fmt::format("use the taint '{}'", to_string(usual)),
      {renames ? yaml::to_set(key, findings.make_string(usual.key))
               : yaml::to_set((*taint.node)["effect"], findings.make_string(usual.effect))});
}

/// "use the usual taint, or add a toleration to the plugin"; only the second if AKS sets the taint.
static std::string advice_on(const k8s::Taint& taint, const std::string& usual,
                             const std::string& remedy) {
  if (k8s::is_set_by_aks(taint.key)) return remedy + ": AKS sets this taint itself";
  return usual.empty() ? remedy : fmt::format("use the taint '{}', or {}", usual, remedy);
}

/// The cluster's plugin is not known, so the vendor's default manifests are assumed.
static void report_default_manifest(const facts::NodePool& pool, const k8s::Taint& taint,
                                    const DevicePlugin& plugin, Findings& findings) {
  const std::string shown = to_string(taint);
  auto finding =
      findings.add(place_of_taint(taint),
                   "the default manifest of {} does not tolerate the taint '{}': the node "
                   "does not advertise '{}', and pods that request it stay Pending",
                   plugin.name, shown, plugin.resource);
  finding.note(*pool.evidence, "this value selects nodes with accelerators");
  const std::string usual = plugin.tolerated_taint.empty()
                                ? std::string()
                                : fmt::format("{}:{}", plugin.tolerated_taint, k8s::kNoSchedule);
  finding.help(
      "{}", advice_on(taint, usual,
                      fmt::format("add a toleration for '{}' to the plugin{}", shown,
                                  usual.empty() ? "'s DaemonSet, which has no tolerations" : "")));
  if (!usual.empty()) add_fix(pool, taint, plugin.tolerated_taint, findings, finding);
  note_workloads(pool, taint, findings, finding);
}

/// The field that has the plugin's tolerations.
static std::string_view place_in(const facts::PluginFact& plugin, const Findings& findings) {
  const k8s::Object* object = findings.scope().object_around(plugin.where->span);
  if (object == nullptr || object->kind != "ClusterPolicy") return "the plugin";
  const bool only_defaults =
      !plugin.tolerations.empty() && plugin.tolerations.front().node == nullptr;
  return only_defaults ? "spec.daemonsets.tolerations, which replaces the default list: also add "
                         "'nvidia.com/gpu' there"
                       : "spec.daemonsets.tolerations";
}

static std::string_view remark_on(const facts::PluginFact& plugin) {
  if (plugin.tolerations.empty()) return "the plugin has no tolerations";
  const bool written = plugin.tolerations.front().node != nullptr;
  return written ? "the plugin tolerates only this" : "the plugin has only its default tolerations";
}

/// A manifest or the configuration shows a plugin that does not tolerate the taint.
static void report_known_plugin(const facts::NodePool& pool, const k8s::Taint& taint,
                                const DevicePlugin& plugin, const facts::PluginFact& known,
                                Findings& findings) {
  const std::string shown = to_string(taint);
  auto finding =
      findings.add(place_of_taint(taint),
                   "{} does not tolerate the taint '{}': the device plugin does not run here, the "
                   "node does not advertise '{}', and pods that request it stay Pending",
                   known.what, shown, plugin.resource);
  finding.severity(Severity::error)
      .note(*known.where, "{}", remark_on(known))
      .note(*pool.evidence, "this value selects nodes with accelerators");
  const k8s::Taint usual{nullptr, plugin.resource, "", k8s::kNoSchedule};
  const bool tolerates_usual = k8s::tolerated(usual, known.tolerations);
  finding.help("{}", advice_on(taint, tolerates_usual ? to_string(usual) : "",
                               fmt::format("add a toleration for '{}' to {}", shown,
                                           place_in(known, findings))));
  if (tolerates_usual) add_fix(pool, taint, usual.key, findings, finding);
  note_workloads(pool, taint, findings, finding);
}

static void report_taint(const facts::NodePool& pool, const k8s::Taint& taint, Findings& findings) {
  const DevicePlugin& plugin = *accelerators::find_plugin(*pool.vendor);
  const facts::PluginFact* known = nullptr;
  for (const facts::PluginFact& fact : findings.facts().plugins) {
    if (fact.vendor != *pool.vendor) continue;
    if (k8s::tolerated(taint, fact.tolerations)) return;
    if (known == nullptr) known = &fact;
  }
  if (known != nullptr) {
    report_known_plugin(pool, taint, plugin, *known, findings);
  } else if (!default_tolerates(plugin, taint)) {
    report_default_manifest(pool, taint, plugin, findings);
  }
}

static void check(const k8s::Object& object, Findings& findings) {
  for (const facts::NodePool& pool : findings.facts().pools) {
    if (pool.object != &object || pool.vendor == nullptr || pool.advertises) continue;
    if (pool.brings_own_plugin || is_managed_by_gke(pool)) continue;
    if (accelerators::find_plugin(*pool.vendor) == nullptr) continue;
    for (const k8s::Taint& taint : pool.taints) {
      if (taint.repels() && !k8s::is_managed_taint(taint.key)) report_taint(pool, taint, findings);
    }
  }
}

extern constinit const Rule rule = {
    .id = "custom-gpu-taint",
    .severity = Severity::warning,
    .depends_on_workspace = true,
    .fix = Safety::unsafe,
    .check = check,
};

}  // namespace cnsched::rules::custom_gpu_taint
