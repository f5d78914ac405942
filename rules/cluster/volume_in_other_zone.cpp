#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/sim/plugin.h"
#include "core/sim/simulation.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const ClusterScope& scope, Report& report);

extern constinit const Rule cluster_volume_in_other_zone = {
    .id = "volume-in-other-zone",
    .severity = Severity::error,
    .depends_on_workspace = true,
    .summary = "a volume that none of the nodes that the pod selects can mount",
    .details =
        "The model's volume (KServe 'pvc://', a claim of Seldon or of the pod) is in a zone, or on "
        "a "
        "node, where the selected pool has no node.",
    .why =
        "A PersistentVolume of a zone can be mounted only in this zone. The pod stays Pending, "
        "although nodes with the accelerator are free: kube-scheduler looks for a node that the "
        "pod "
        "selects and that can mount the volume.",
    .limits =
        "The Nodes, the PersistentVolumeClaim and the PersistentVolume must be known, from "
        "--cluster "
        "or from the linted files. A claim that waits for its first consumer gets a volume where "
        "the "
        "pod runs, and is not reported.",
    .bad = R"(
# --cluster nodes.yaml
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Node
  metadata:
    name: gpu-1
    labels: {pool: gpu, topology.kubernetes.io/zone: us-east1-b}
  status:
    allocatable: {cpu: "16", memory: 64Gi, pods: "110", nvidia.com/gpu: "1"}
- apiVersion: v1
  kind: PersistentVolume
  metadata: {name: models-1}
  spec:
    capacity: {storage: 100Gi}
    accessModes: [ReadWriteOnce]
    local: {path: /models}
    nodeAffinity:
      required:
        nodeSelectorTerms:
        - matchExpressions:
          - {key: topology.kubernetes.io/zone, operator: In, values: [us-east1-c]}
- apiVersion: v1
  kind: PersistentVolumeClaim
  metadata:
    name: models
    namespace: ml
    annotations: {pv.kubernetes.io/bind-completed: "yes"}
  spec:
    storageClassName: ""
    volumeName: models-1
    accessModes: [ReadWriteOnce]
    resources: {requests: {storage: 100Gi}}
---
apiVersion: v1
kind: Pod
metadata:
  name: detector
  namespace: ml
spec:
  nodeSelector: {pool: gpu}
  volumes:
  - name: models
    persistentVolumeClaim: {claimName: models}
  containers:
  - name: server
    image: registry.example.com/detector:1.4
    resources:
      limits: {nvidia.com/gpu: 1}
)",
    .good = R"(
# --cluster nodes.yaml
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Node
  metadata:
    name: gpu-1
    labels: {pool: gpu, topology.kubernetes.io/zone: us-east1-c}
  status:
    allocatable: {cpu: "16", memory: 64Gi, pods: "110", nvidia.com/gpu: "1"}
- apiVersion: v1
  kind: PersistentVolume
  metadata: {name: models-1}
  spec:
    capacity: {storage: 100Gi}
    accessModes: [ReadWriteOnce]
    local: {path: /models}
    nodeAffinity:
      required:
        nodeSelectorTerms:
        - matchExpressions:
          - {key: topology.kubernetes.io/zone, operator: In, values: [us-east1-c]}
- apiVersion: v1
  kind: PersistentVolumeClaim
  metadata:
    name: models
    namespace: ml
    annotations: {pv.kubernetes.io/bind-completed: "yes"}
  spec:
    storageClassName: ""
    volumeName: models-1
    accessModes: [ReadWriteOnce]
    resources: {requests: {storage: 100Gi}}
---
apiVersion: v1
kind: Pod
metadata:
  name: detector
  namespace: ml
spec:
  nodeSelector: {pool: gpu}
  volumes:
  - name: models
    persistentVolumeClaim: {claimName: models}
  containers:
  - name: server
    image: registry.example.com/detector:1.4
    resources:
      limits: {nvidia.com/gpu: 1}
)",
    .source = "https://kubernetes.io/docs/concepts/storage/persistent-volumes/#node-affinity",
    .check = check,
    .not_exported = "it depends on Nodes and on the volumes of the pod",
};

/// The cause that says where the volume is.
static const sim::Cause* cause_in(const std::vector<sim::Cause>& causes) {
  const auto found = std::ranges::find_if(causes, [](const sim::Cause& cause) {
    return cause.plugin == &sim::volume_binding || cause.plugin == &sim::volume_zone;
  });
  return found == causes.end() ? nullptr : &*found;
}

static void report_volume(const sim::Simulated& simulated, const sim::NodeSet& nodes,
                          Report& report) {
  const sim::Cluster& cluster = *simulated.cluster;
  std::optional<std::size_t> first;
  nodes.each([&](std::size_t node) { first = first.value_or(node); });
  const std::vector<sim::Cause> causes = sim::causes_on(*first, simulated.pod, cluster);
  const sim::Cause* cause = cause_in(causes);
  if (cause == nullptr) return;
  report.set_subject(*simulated.workload);
  const yaml::Node& name = (*simulated.workload->object)["metadata"]["name"];
  const yaml::Node& where = cause->in_pod != nullptr ? *cause->in_pod : name;
  const NodePool& node = cluster.node(*first);
  auto finding = report.add(
      where, "no node that the pod may use can mount its volume: kube-scheduler leaves it Pending");
  const yaml::Node* place = node.object == nullptr ? nullptr : &node.object->labels();
  if (place != nullptr && *place) {
    finding.note(*place, "{} '{}': {}", nodes.count() == 1 ? "node" : "the first of these nodes,",
                 node.name, cause->text);
  }
  finding.help(
      "move the model to a volume where the selected nodes are, or select nodes where the volume "
      "is");
}

static void check(const ClusterScope& scope, Report& report) {
  const sim::Simulation simulation(scope.workspace(),
                                   {.without_nodes = false,
                                    .view = sim::Cluster::View::lasting,
                                    .is_simulated = [&](const Workload& workload) {
                                      return workload.scope == &scope &&
                                             !workload.pod["volumes"].is_empty() &&
                                             workload.has_placement_constraint();
                                    }});
  for (const sim::Simulated& simulated : simulation.workloads()) {
    if (!simulated.diagnosis || !simulated.diagnosis->fits_nowhere()) continue;
    const sim::NodeSet nodes = sim::rejected_only_for_volumes(*simulated.diagnosis);
    if (!nodes.empty()) report_volume(simulated, nodes, report);
  }
}

}  // namespace cnsched::rules
