#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/sim/advice.h"
#include "core/sim/plugins.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Workspace& run, Report& report);

extern constinit const Rule cluster_unschedulable = {
    .id = "unschedulable",
    .severity = Severity::error,
    .depends_on_run = true,
    .summary = "no known node is a place for the pod",
    .why =
        "The pod stays Pending: kube-scheduler finds no node that passes all its filters. Nodes "
        "are known from --cluster and from the configuration (nodePools, files). As long as "
        "something decisive is unknown (a runtime that is not in the run, a pool that does not "
        "tell its labels, a volume) the rule is silent.\n\n"
        "What comes and goes does not count: cordons, taints of nodes that fail, and Pods that "
        "take room today, perhaps as the very ones that are to be replaced. Nodes among the linted "
        "manifests count beside others, but not alone, for they are often examples. A list without "
        "a node for ordinary pods is taken for a part of the cluster, and says nothing of pods "
        "that nothing leads to certain nodes; nor do pools of the configuration say anything of "
        "pods that select none of them.\n\n"
        "Edits that it proposes were made in memory and simulated. cnsched simulate shows every "
        "node, as it is now.",
    .bad = R"(
# --cluster nodes.yaml
apiVersion: v1
kind: Node
metadata:
  name: gpu-1
  labels: {pool: inference}
spec:
  taints:
  - {key: nvidia.com/gpu, value: present, effect: NoSchedule}
status:
  allocatable: {cpu: "16", memory: 64Gi, pods: "110", nvidia.com/gpu: "1"}
---
apiVersion: v1
kind: Pod
metadata:
  name: detector
spec:
  nodeSelector: {pool: inferance}
  tolerations:
  - {key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}
  containers:
  - name: server
    image: registry.example.com/detector:1.4
    resources:
      limits: {nvidia.com/gpu: 1}
)",
    .good = R"(
# --cluster nodes.yaml
apiVersion: v1
kind: Node
metadata:
  name: gpu-1
  labels: {pool: inference}
spec:
  taints:
  - {key: nvidia.com/gpu, value: present, effect: NoSchedule}
status:
  allocatable: {cpu: "16", memory: 64Gi, pods: "110", nvidia.com/gpu: "1"}
---
apiVersion: v1
kind: Pod
metadata:
  name: detector
spec:
  nodeSelector: {pool: inference}
  tolerations:
  - {key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}
  containers:
  - name: server
    image: registry.example.com/detector:1.4
    resources:
      limits: {nvidia.com/gpu: 1}
)",
    .source = "https://kubernetes.io/docs/concepts/scheduling-eviction/kube-scheduler/",
    .check = check,
};

/// What to change, if anything is known to help; else what is in the way, or the object's name.
static Span place_of(const sim::Simulated& simulated, const sim::Advice& advice) {
  if (!advice.suggestions.empty()) return advice.suggestions.front().edits.front().where;
  for (const sim::Obstacle& obstacle : advice.obstacles) {
    if (obstacle.in_pod != nullptr && *obstacle.in_pod && !obstacle.in_pod->made) {
      return obstacle.in_pod->span;
    }
  }
  const k8s::Object& object = *simulated.workload->object;
  const yaml::Node& name = object["metadata"]["name"];
  return name ? name.span : object.root->span;
}

static void add_notes(const sim::Cluster& cluster, const sim::Advice& advice,
                      Report::Finding& finding) {
  const NodePool& nearest = cluster.node(*advice.nearest);
  for (const sim::Obstacle& obstacle : advice.obstacles) {
    const yaml::Node* where = obstacle.on_node != nullptr ? obstacle.on_node : nearest.allocatable;
    if (!*where && nearest.object != nullptr) where = &(*nearest.object)["metadata"]["name"];
    if (!*where) continue;
    finding.note(*where, "nearest is '{}': {}", nearest.name, obstacle.text);
  }
}

static void add_help(const sim::Cluster& cluster, const sim::Advice& advice,
                     Report::Finding& finding) {
  if (advice.suggestions.empty()) {
    if (!advice.exclusion.empty()) finding.help("{}", advice.exclusion);
    return;
  }
  const sim::Suggestion& first = advice.suggestions.front();
  std::vector<std::string> edits;
  for (const sim::Remedy& edit : first.edits) edits.push_back(edit.title);
  finding.help("{}: then it fits '{}'{}", join_words(edits), cluster.node(first.node).name,
               first.fits > 1 ? fmt::format(" and {} more", first.fits - 1) : "");
}

/// The nodes that a plugin lets pass.
static sim::NodeSet passed_by(const sim::Plugin& plugin, const sim::Diagnosis& diagnosis) {
  sim::NodeSet passed = diagnosis.cluster().all();
  for (const sim::Objection& objection : diagnosis.objections()) {
    if (objection.plugin == &plugin && objection.is_known) passed -= objection.nodes;
  }
  return passed;
}

static bool is_led(const sim::Simulated& simulated) {
  return simulated.workload->is_led_somewhere() ||
         std::ranges::any_of(simulated.pod.requests, [](const sim::Request& request) {
           return request.amount > 0 && k8s::is_extended_resource(request.name);
         });
}

/// Whether the nodes that are known can be all that the pod is meant for. Every cluster has some
/// for pods that ask for nothing special, so a list without them is a part of one; and who
/// describes pools in a configuration mostly describes those with accelerators.
static bool is_meant_for(const sim::Simulated& simulated, const sim::Advice& advice) {
  const sim::Diagnosis& diagnosis = *simulated.diagnosis;
  if (!is_led(simulated)) return !passed_by(sim::taint_toleration, diagnosis).empty();
  if (simulated.cluster->elastic() != simulated.cluster->all()) return true;
  const bool is_slip = !advice.suggestions.empty() &&
                       advice.suggestions.front().edits.size() == 1 &&
                       advice.suggestions.front().edits.front().cost == 0;
  return is_slip || !passed_by(sim::node_affinity, diagnosis).empty();
}

static void check(const Workspace& run, Report& report) {
  const sim::Simulation simulation(run,
                                   {.without_nodes = false, .view = sim::Cluster::View::lasting});
  for (const auto& [i, advice] : sim::advise(run, simulation, 1, report.values())) {
    const sim::Simulated& simulated = simulation.workloads()[i];
    if (!is_meant_for(simulated, advice)) continue;
    report.set_subject(simulated.workload->object, simulated.workload->component);
    auto finding = report.add_at(place_of(simulated, advice), "the pod stays Pending: {}",
                                 simulated.diagnosis->summary());
    if (advice.nearest) add_notes(*simulated.cluster, advice, finding);
    add_help(*simulated.cluster, advice, finding);
  }
}

}  // namespace cnsched::rules
