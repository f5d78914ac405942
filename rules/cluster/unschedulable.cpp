#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/kserve/hardware_profile.h"
#include "core/sim/advice.h"
#include "core/sim/plugin.h"
#include "rules/rule.h"

namespace cnsched::rules::unschedulable {

/// The value to change, if an edit is known to help; else the cause in the pod, or the object's
/// name.
static Span place_of(const sim::Simulated& simulated, const sim::Advice& advice) {
  if (!advice.suggestions.empty()) return advice.suggestions.front().edits.front().where;
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
    const yaml::Node* where = cause.on_node != nullptr ? cause.on_node : nearest.allocatable;
    if (!*where && nearest.object != nullptr) where = &(*nearest.object)["metadata"]["name"];
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
  for (const sim::ProposedEdit& edit : first.edits) edits.push_back(edit.title);
  finding.help("{}: then the pod fits '{}'{}", join_words(edits), cluster.node(first.node).name,
               first.fits > 1 ? fmt::format(" and {} more", first.fits - 1) : "");
}

/// The nodes that pass the filter of a plugin.
static sim::NodeSet passed_by(const sim::Plugin& plugin, const sim::Diagnosis& diagnosis) {
  sim::NodeSet passed = diagnosis.cluster().all();
  for (const sim::Rejection& rejection : diagnosis.rejections()) {
    if (rejection.plugin == &plugin && rejection.is_certain) passed -= rejection.nodes;
  }
  return passed;
}

static bool is_constrained(const sim::Simulated& simulated) {
  return simulated.workload->has_placement_constraint() ||
         std::ranges::any_of(simulated.pod.requests, [](const k8s::Request& request) {
           return request.amount > 0 && k8s::is_extended_resource(request.name);
         });
}

/// Whether the known nodes can include all nodes for the pod. Every cluster has nodes for pods
/// without constraints, so a list without them is only a part of the cluster; configurations mostly
/// describe only the pools with accelerators.
static bool may_be_all_nodes(const sim::Simulated& simulated, const sim::Advice& advice) {
  const sim::Diagnosis& diagnosis = *simulated.diagnosis;
  if (!is_constrained(simulated)) return !passed_by(sim::taint_toleration, diagnosis).empty();
  if (simulated.cluster->autoscaled() != simulated.cluster->all()) return true;
  const bool is_misspelling = !advice.suggestions.empty() &&
                              advice.suggestions.front().edits.size() == 1 &&
                              advice.suggestions.front().edits.front().cost == 0;
  return is_misspelling || !passed_by(sim::node_affinity, diagnosis).empty();
}

/// Reports the flavors that Kueue may assign and with which the pod fits no node, although it fits
/// with others.
static void check_flavors(const sim::Simulated& simulated, Findings& findings) {
  if (simulated.by_flavor.size() < 2 || simulated.diagnosis->fits_nowhere()) return;
  const Workload& workload = *simulated.workload;
  const yaml::Node& own = workload.object->labels()[kserve::kQueueLabel];
  const yaml::Node& label = own ? own : (*workload.labels)[kserve::kQueueLabel];
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

/// Reports a pod that the API server never creates: a LimitRange rejects it, or a ResourceQuota
/// does although nothing is in use.
static void check_creation(const sim::Simulated& simulated, Findings& findings) {
  const sim::NotCreated& why = simulated.pod.not_created;
  if (why.reason.empty() || simulated.pod.policy.is_assumed) return;
  const k8s::Object& object = *simulated.workload->object;
  const yaml::Node& name = object["metadata"]["name"];
  const bool has_place = why.in_pod != nullptr && *why.in_pod && !why.in_pod->made;
  findings.set_subject(*simulated.workload);
  findings
      .add(has_place ? *why.in_pod : (name ? name : *object.root),
           "no pod is created: {} '{}' of namespace '{}' rejects it: {}", why.by->kind,
           why.by->name, why.by->ns.name, why.reason)
      .note((*why.by)["metadata"]["name"], "the {}", why.by->kind)
      .help("change the resources of the pod, or the {}", why.by->kind);
}

/// Whether an overlay that was not built may decide where the pod fits.
static bool may_be_changed(const k8s::Object& object, const Workspace& workspace) {
  constexpr auto kFields = std::to_array<std::string_view>(
      {"affinity", "limits", "nodeSelector", "requests", "resources", "tolerations"});
  return std::ranges::any_of(
      kFields, [&](std::string_view field) { return workspace.may_get_field(object, field); });
}

static void check(const ClusterScope& scope, Findings& findings) {
  // Trying edits means loading all files again: once is enough for the pods of all scopes.
  const Workspace& workspace = scope.workspace();
  if (&scope != &workspace.scopes().front()) return;
  const sim::Simulation simulation(workspace,
                                   {.without_nodes = false, .view = sim::Cluster::View::lasting});
  for (const sim::Simulated& simulated : simulation.workloads()) {
    check_creation(simulated, findings);
    check_flavors(simulated, findings);
  }
  for (const auto& [i, advice] : sim::advise(workspace, simulation, 1, findings.values())) {
    const sim::Simulated& simulated = simulation.workloads()[i];
    if (!may_be_all_nodes(simulated, advice)) continue;
    if (may_be_changed(*simulated.workload->object, workspace)) continue;
    // The rule volume-in-other-zone reports them.
    if (!sim::rejected_only_for_volumes(*simulated.diagnosis).empty()) continue;
    findings.set_subject(*simulated.workload);
    auto finding = findings.add_at(place_of(simulated, advice), "the pod stays Pending: {}",
                                   simulated.diagnosis->summary());
    if (advice.nearest) add_notes(*simulated.cluster, advice, finding);
    add_help(*simulated.cluster, advice, finding);
  }
}

extern constinit const Rule rule = {
    .id = "unschedulable",
    .severity = Severity::error,
    .depends_on_workspace = true,
    .check = check,
};

}  // namespace cnsched::rules::unschedulable
