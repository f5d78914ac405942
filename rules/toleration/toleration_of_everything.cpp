#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Workload& workload, Report& report);

extern constinit const Rule toleration_toleration_of_everything = {
    .id = "toleration-of-everything",
    .severity = Severity::warning,
    .summary = "a toleration without a key tolerates every taint",
    .why = "Operator Exists without a key matches every taint, those of the control plane, of other "
           "teams' nodes and of failing nodes too. The pod may be put on a node that is cordoned or "
           "not ready, and with no effect named it is not evicted from one either. Only node agents "
           "(DaemonSets) mean that.",
    .bad = R"(
tolerations:
- operator: Exists
model:
  modelFormat: {name: onnx}
  resources:
    limits: {nvidia.com/gpu: 1}
)",
    .good = R"(
tolerations:
- {key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}
model:
  modelFormat: {name: onnx}
  resources:
    limits: {nvidia.com/gpu: 1}
)",
    .source = "https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/",
    .check = check,
};

static void check(const Workload& workload, Report& report) {
  if (workload.object->kind == "DaemonSet" || !workload.takes_placement_advice()) return;
  for (const k8s::Toleration& t : workload.pod.tolerations()) {
    if (t.op != "Exists" || !t.key.empty() || t.effect == k8s::kPreferNoSchedule) continue;
    auto finding = t.effect.empty()
                       ? report.add(*t.node, "every taint is tolerated, also those of the control "
                                             "plane and of nodes that are cordoned or failing")
                       : report.add(*t.node, "every {} taint is tolerated, also those of the "
                                             "control plane and of nodes that are failing", t.effect);
    finding.help("name the key of the taint that is meant");
  }
}

}  // namespace cnsched::rules
