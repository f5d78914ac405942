#include <algorithm>

#include "core/kserve/hardware_profile.h"
#include "core/sim/kueue.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Workload& workload, Report& report);

extern constinit const Rule cluster_queue_never_admits = {
    .id = "queue-never-admits",
    .severity = Severity::warning,
    .depends_on_workspace = true,
    .summary = "a pod that its Kueue queue never admits",
    .details =
        "The rule reports a LocalQueue that does not exist, a queue that is stopped or does not "
        "select the namespace, a requested resource that no resource group of the ClusterQueue "
        "covers, pods that no ResourceFlavor of it takes, and a queue that an annotation names "
        "instead of a label.",
    .why =
        "The pod stays in state SchedulingGated: Kueue removes the gate when it admits the pod's "
        "Workload. The Workload stays pending, although nodes are free. With an annotation instead "
        "of the label, Kueue (since 0.15) does not manage the pod, and it runs without quota.",
    .limits =
        "A LocalQueue is missing only if a --cluster file has other LocalQueues of the namespace. "
        "Quota in use, cohorts and settings of Kueue itself, such as resources that it ignores, "
        "are "
        "not known. Pods without a queue label are not reported.",
    .bad = R"(
apiVersion: kueue.x-k8s.io/v1beta1
kind: LocalQueue
metadata:
  name: gpus
  namespace: ml
spec:
  clusterQueue: gpus
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata:
  name: gpus
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu, memory]
    flavors:
    - name: default
      resources:
      - {name: cpu, nominalQuota: 64}
      - {name: memory, nominalQuota: 256Gi}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ResourceFlavor
metadata:
  name: default
---
apiVersion: v1
kind: Pod
metadata:
  name: detector
  namespace: ml
  labels:
    kueue.x-k8s.io/queue-name: gpus
spec:
  containers:
  - name: server
    image: registry.example.com/detector:1.4
    resources:
      limits: {cpu: 2, memory: 4Gi, nvidia.com/gpu: 1}
)",
    .good = R"(
apiVersion: kueue.x-k8s.io/v1beta1
kind: LocalQueue
metadata:
  name: gpus
  namespace: ml
spec:
  clusterQueue: gpus
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata:
  name: gpus
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu, memory, nvidia.com/gpu]
    flavors:
    - name: default
      resources:
      - {name: cpu, nominalQuota: 64}
      - {name: memory, nominalQuota: 256Gi}
      - {name: nvidia.com/gpu, nominalQuota: 8}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ResourceFlavor
metadata:
  name: default
---
apiVersion: v1
kind: Pod
metadata:
  name: detector
  namespace: ml
  labels:
    kueue.x-k8s.io/queue-name: gpus
spec:
  containers:
  - name: server
    image: registry.example.com/detector:1.4
    resources:
      limits: {cpu: 2, memory: 4Gi, nvidia.com/gpu: 1}
)",
    .source = "https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/",
    .check = check,
    .not_exported = "it depends on Kueue's queues",
};

using yaml::Node;

/// An annotation of the pod or of its object, where there is no label.
static void check_annotation(const Workload& workload, Report& report) {
  const Node& own = workload.object->annotations()[kserve::kQueueLabel];
  const Node& annotation = own ? own : (*workload.annotations)[kserve::kQueueLabel];
  if (annotation.text().empty()) return;
  report
      .add_at_key(annotation,
                  "the annotation '{}' has no effect since Kueue 0.15: no queue manages the pod",
                  kserve::kQueueLabel)
      .help("write '{}: {}' below 'labels'", kserve::kQueueLabel, annotation.text());
}

static void check_missing(const Workload& workload, std::string_view queue, const Node& label,
                          Report& report) {
  const std::string_view ns = workload.object->ns;
  if (ns.empty() || !report.facts().namespaces_with_queues.contains(ns)) return;
  const k8s::Objects& index = report.scope().index();
  if (index.contains("kueue.x-k8s.io", "LocalQueue", ns, queue)) return;
  report
      .add(label, "LocalQueue '{}' does not exist in namespace '{}': Kueue never admits the pod",
           queue, ns)
      .help("name a LocalQueue of the namespace, or create this one");
}

static void check(const Workload& workload, Report& report) {
  if (workload.fragment || workload.never_created || report.scope().is_patch(*workload.object)) {
    return;
  }
  const Node& label = sim::queue_label(workload);
  if (label.text().empty()) return check_annotation(workload, report);
  const sim::Admission admission{.runtime_classes = report.facts().runtime_classes};
  const k8s::Objects& index = report.scope().index();
  const sim::Pod pod = sim::admitted(workload, admission, index, report.values());
  const sim::QueueOutlook outlook = sim::queue_outlook(workload, pod, index);
  check_missing(workload, outlook.queue, label, report);
  if (outlook.blocked.empty()) return;
  report
      .add(label, "Kueue never admits the pod to LocalQueue '{}': {}", outlook.queue,
           outlook.blocked)
      .help("correct the queue, or name another LocalQueue");
}

}  // namespace cnsched::rules
