#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/kserve/hardware_profile.h"
#include "core/sim/conclusion.h"
#include "core/sim/plugin.h"
#include "rules/rule.h"

namespace cnsched::rules::unschedulable {

/// The value to change, if an edit is known to help; else the cause in the pod, or the object's
/// name.
static Span place_of(const sim::Simulated& simulated, const sim::Advice& advice) {
  if (!advice.suggestions.empty()) return advice.suggestions.front().fixes.front().where;
  for (const sim::Cause& cause : advice.causes) {
    if (cause.in_pod != nullptr && *cause.in_pod && !cause.in_pod->made) {
      return cause.in_pod->span;
    }
  }
  const k8s::Object& object = *simulated.workload->object;
  const yaml::Node& name = object["metadata"]["name"];
  return name ? name.span : object.root->span;
}

static void add_notes(const sim::Cluster& cluster, const sim::Advice& advice,
                      Findings::Finding& finding) {
  const facts::NodePool& nearest = cluster.node(*advice.nearest);
  for (const sim::Cause& cause : advice.causes) {
    const yaml::Node* where =
        cause.on_node != nullptr ? cause.on_node : &nearest.allocatable->under(cause.resource);
    if (!*where && nearest.object != nullptr) where = &(*nearest.object)["metadata"]["name"];
    if (!*where) where = nearest.allocatable;
    if (!*where) continue;
    finding.note(*where, "nearest node '{}': {}", nearest.name, cause.text);
  }
}

static void add_help(const sim::Cluster& cluster, const sim::Advice& advice,
                     Findings::Finding& finding) {
  if (advice.suggestions.empty()) {
    if (!advice.exclusion.empty()) finding.help("{}", advice.exclusion);
    return;
  }
  const sim::Suggestion& first = advice.suggestions.front();
  std::vector<std::string> edits;
  for (const sim::ProposedFix& fix : first.fixes) edits.push_back(fix.title);
  finding.help("{}: then the pod fits '{}'{}", join_words(edits), cluster.node(first.node).name,
               first.fits > 1 ? fmt::format(" and {} more", first.fits - 1) : "");
}

/// Reports the flavors that Kueue may assign and with which the pod fits no node, although it fits
/// with others.
static void check_flavors(const sim::Simulated& simulated, Findings& findings) {
  if (simulated.by_flavor.size() < 2 || simulated.diagnosis->fits_nowhere()) return;
  const Workload& workload = *simulated.workload;
  const yaml::Node& own = workload.object->labels().under(kserve::kQueueLabel);
  const yaml::Node& label = own ? own : workload.labels->under(kserve::kQueueLabel);
  if (label.text().empty()) return;  // Kueue may not manage the pod
  for (const sim::FlavorVerdict& of : simulated.by_flavor) {
    if (!of.diagnosis.fits_nowhere() || of.choice.flavors.empty()) continue;
    findings.set_subject(workload);
    findings
        .add(label, "the pod stays Pending if Kueue assigns it the ResourceFlavor {}: {}",
             of.choice.text(), of.diagnosis.summary())
        .severity(Severity::warning)
        .note((*of.choice.flavors.front())["metadata"]["name"], "the ResourceFlavor")
        .help(
            "correct 'nodeLabels' and 'tolerations' of the ResourceFlavor, or select nodes that "
            "exclude it");
  }
}

/// Reports a pod that the API server never creates: a LimitRange rejects it, a ResourceQuota does
/// although nothing is in use, or a class that it names is missing.
static void check_creation(const sim::Simulated& simulated, Findings& findings) {
  const NotCreated& why = simulated.pod.not_created;
  const k8s::Object* by = why.by;
  if (why.reason.empty() || (by != nullptr && simulated.pod.policy.is_assumed)) return;
  const k8s::Object& object = *simulated.workload->object;
  const yaml::Node& name = object["metadata"]["name"];
  const bool has_place = why.in_pod != nullptr && *why.in_pod && !why.in_pod->made;
  const yaml::Node& where = has_place ? *why.in_pod : (name ? name : *object.root);
  findings.set_subject(*simulated.workload);
  if (by == nullptr) {
    findings.add(where, "no pod is created: the API server rejects it: {}", why.reason)
        .help("name a class that the cluster has, or create it");
    return;
  }
  findings
      .add(where, "no pod is created: {} '{}' of namespace '{}' rejects it: {}", by->kind, by->name,
           by->ns.name, why.reason)
      .note((*by)["metadata"]["name"], "the {}", by->kind)
      .help("change the resources of the pod, or the {}", by->kind);
}

/// Reports a pod that fits no known node, as far as that says something.
static void report(const sim::Simulated& simulated, const sim::Advice& advice,
                   sim::Conclusion conclusion, const std::string& why, Findings& findings) {
  using enum sim::Conclusion;
  if (!sim::lacks_node(conclusion)) return;
  if (conclusion != nowhere && !sim::are_nodes_meant_for(simulated)) return;
  const bool lacks_plugin =
      conclusion == nowhere && std::ranges::any_of(advice.causes, &sim::Cause::lacks_plugin);
  findings.set_subject(*simulated.workload);
  auto finding = findings.add_at(
      place_of(simulated, advice), "the pod stays Pending{}: {}{}",
      conclusion == needs_new_nodes     ? " unless an autoscaler adds a node"
      : conclusion == needs_other_nodes ? " unless the cluster has other nodes"
                                        : "",
      why,
      lacks_plugin ? fmt::format("; no device plugin advertises the accelerators of node '{}'",
                                 simulated.cluster->node(*advice.nearest).name)
                   : "");
  if (conclusion == needs_other_nodes) finding.severity(Severity::warning);
  if (conclusion == needs_new_nodes) {
    finding.severity(Severity::info);
    if (advice.suggestions.empty()) {
      finding.help("list the pools of the autoscaler in .cnsched.yaml (cluster.nodePools)");
      return;
    }
  }
  if (advice.nearest) add_notes(*simulated.cluster, advice, finding);
  add_help(*simulated.cluster, advice, finding);
}

/// Reports a pod that the autoscalers of all pools ignore, though no filter rejects every pool.
static void check_pools(const sim::Simulated& simulated, sim::Autoscalers& autoscalers,
                        Findings& findings) {
  if (!simulated.diagnosis || simulated.diagnosis->fits_nowhere()) return;
  const auto outlook = autoscalers.outlook(simulated);
  if (!outlook) return;
  const sim::Conclusion conclusion = sim::conclusion_on(simulated, &*outlook, nullptr);
  if (!sim::lacks_node(conclusion)) return;
  std::vector<std::string> reasons;
  for (const sim::PoolOutlook& of : outlook->pools) {
    if (!of.reasons.empty()) {
      reasons.push_back(fmt::format("{}: {}", described(*of.pool), of.reasons.front()));
    }
  }
  sim::Advice advice;
  std::optional<std::size_t> pool;
  simulated.cluster->autoscaled().each([&](std::size_t node) { pool = pool.value_or(node); });
  advice.causes = sim::causes_on(*pool, simulated.pod, *simulated.cluster);
  constexpr std::size_t kShown = 2;
  report(simulated, advice, conclusion,
         fmt::format("no pool gets a node for it: {}", join_words(reasons, "and", kShown)),
         findings);
}

static void check(const ClusterScope& scope, Findings& findings) {
  // Trying edits means loading all files again: once is enough for the pods of all scopes.
  const Workspace& workspace = scope.workspace();
  if (&scope != &workspace.scopes().front()) return;
  const sim::Simulation simulation(workspace,
                                   {.without_nodes = false, .view = sim::Cluster::View::lasting});
  sim::Autoscalers autoscalers(simulation);
  for (const sim::Simulated& simulated : simulation.workloads()) {
    check_creation(simulated, findings);
    check_flavors(simulated, findings);
    check_pools(simulated, autoscalers, findings);
  }
  for (const auto& [i, advice] : sim::advise(workspace, simulation, 1, findings.values())) {
    const sim::Simulated& simulated = simulation.workloads()[i];
    // The rule volume-in-other-zone reports them.
    if (!sim::rejected_only_for_volumes(*simulated.diagnosis).empty()) continue;
    const auto outlook = autoscalers.outlook(simulated);
    report(simulated, advice, sim::conclusion_on(simulated, outlook ? &*outlook : nullptr, &advice),
           simulated.diagnosis->summary(), findings);
  }
}

extern constinit const Rule rule = {
    .id = "unschedulable",
    .severity = Severity::error,
    .depends_on_workspace = true,
    .check = check,
};

}  // namespace cnsched::rules::unschedulable
