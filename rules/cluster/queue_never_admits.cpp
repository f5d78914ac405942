#include <algorithm>

#include "core/kserve/hardware_profile.h"
#include "core/sim/kueue.h"
#include "rules/rule.h"

namespace cnsched::rules::queue_never_admits {

using yaml::Node;

/// An annotation of the pod or of its object, where there is no label.
static void check_annotation(const Workload& workload, Findings& findings) {
  const Node& own = workload.object->annotations().under(kserve::kQueueLabel);
  const Node& annotation = own ? own : workload.annotations->under(kserve::kQueueLabel);
  if (annotation.text().empty()) return;
  findings
      .add_at_key(annotation,
                  "the annotation '{}' has no effect since Kueue 0.15: no queue manages the pod",
                  kserve::kQueueLabel)
      .help("write '{}: {}' below 'labels'", kserve::kQueueLabel, annotation.text());
}

static void check_missing(const Workload& workload, std::string_view queue, const Node& label,
                          Findings& findings) {
  const k8s::Namespace& ns = workload.object->ns;
  if (!findings.facts().namespaces_with_queues.contains(ns.name)) return;
  const k8s::Objects& index = findings.scope().index();
  if (index.contains("kueue.x-k8s.io", "LocalQueue", ns, queue)) return;
  findings
      .add(label, "LocalQueue '{}' does not exist in namespace '{}': Kueue never admits the pod",
           queue, ns.name)
      .help("name a LocalQueue of the namespace, or create this one");
}

static void check(const Workload& workload, Findings& findings) {
  if (workload.never_created || findings.scope().is_patch(*workload.object)) return;
  const Node& label = sim::queue_label(workload);
  if (label.text().empty()) return check_annotation(workload, findings);
  const Admission admission{.runtime_classes = findings.facts().runtime_classes};
  const k8s::Objects& index = findings.scope().index();
  const sim::Pod pod = sim::admitted(workload, admission, index, findings.values());
  const sim::QueueOutlook outlook = sim::queue_outlook(workload, pod, index);
  check_missing(workload, outlook.queue, label, findings);
  if (outlook.blocked.empty()) return;
  findings
      .add(label, "Kueue never admits the pod to LocalQueue '{}': {}", outlook.queue,
           outlook.blocked)
      .help("correct the queue, or name another LocalQueue");
}

extern constinit const Rule rule = {
    .id = "queue-never-admits",
    .severity = Severity::warning,
    .depends_on_workspace = true,
    .of = Domain::whole,
    .check = check,
};

}  // namespace cnsched::rules::queue_never_admits
