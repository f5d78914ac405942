#include <fmt/format.h>

#include "core/base/text.h"
#include "core/sim/advice.h"
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
        "are known from --cluster and from the configuration (nodePools, files); Nodes among the "
        "manifests that are linted do not count, for they are often examples. Room is what a Node "
        "says to be allocatable, less what Pods of the cluster files ask for. As long as something "
        "decisive is unknown (a runtime that is not in the run, a pool that does not tell its "
        "labels, a volume) the rule is silent. Edits that it proposes were made in memory and "
        "simulated. cnsched simulate shows every node.",
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
    if (!advice.exclusion.empty())
      finding.help("no edit of one or two values makes it fit: {}", advice.exclusion);
    return;
  }
  const sim::Suggestion& first = advice.suggestions.front();
  std::vector<std::string> edits;
  for (const sim::Remedy& edit : first.edits) edits.push_back(edit.title);
  finding.help("{}: then it fits '{}'{}", join_words(edits), cluster.node(first.node).name,
               first.fits > 1 ? fmt::format(" and {} more", first.fits - 1) : "");
}

static void check(const Workspace& run, Report& report) {
  const sim::Simulation simulation(run,
                                   {.without_nodes = false, .nodes = sim::Cluster::Which::given});
  for (const auto& [i, advice] : sim::advise(run, simulation, report.values())) {
    const sim::Simulated& simulated = simulation.workloads()[i];
    report.set_subject(simulated.workload->object, simulated.workload->component);
    auto finding = report.add_at(place_of(simulated, advice), "the pod stays Pending: {}",
                                 simulated.diagnosis->summary());
    if (advice.nearest) add_notes(*simulated.cluster, advice, finding);
    add_help(*simulated.cluster, advice, finding);
  }
}

}  // namespace cnsched::rules
