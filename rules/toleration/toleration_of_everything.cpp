#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Workload& workload, Report& report);

extern constinit const Rule toleration_toleration_of_everything = {
    .id = "toleration-of-everything",
    .severity = Severity::warning,
    .summary = "a toleration without a key, which tolerates every taint",
    .why =
        "The scheduler may put the pod on cordoned or failing nodes, on the control plane and on "
        "nodes of other teams, because operator Exists without a key matches every taint. If the "
        "effect is missing too, the pod is not evicted from a failing node.",
    .limits =
        "DaemonSets are not reported: agents that run on every node need this toleration. A "
        "toleration of effect PreferNoSchedule is not reported, because it permits no additional "
        "nodes. Only model servers and pods that request, select or tolerate an accelerator are "
        "checked.",
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
    .admission =
        AdmissionCheck{
            .warnings = R"cel(
!takes_placement_advice(pod) ? [] :
pod.tolerations.map(t, t.operator == 'Exists' && t.key == '' && t.effect in ['', 'NoSchedule', 'NoExecute'],
  'toleration without a key matches every ' + (t.effect == '' ? '' : t.effect + ' ') + 'taint, including those ' +
  {'': 'of the control plane and of cordoned or failing nodes',
   'NoSchedule': 'of the control plane and of cordoned nodes',
   'NoExecute': 'of failing nodes'}[t.effect] +
  '; add the key of the taint that the pod has to tolerate'))cel",
        },
};

/// The nodes that the toleration should not open to the pod; empty if it is harmless.
static std::string_view unwanted_nodes(const k8s::Toleration& t) {
  if (t.effect.empty()) return "of the control plane and of cordoned or failing nodes";
  if (t.effect == k8s::kNoSchedule) return "of the control plane and of cordoned nodes";
  if (t.effect == k8s::kNoExecute) return "of failing nodes";
  return "";
}

static void check(const Workload& workload, Report& report) {
  if (workload.object->kind == "DaemonSet" || !workload.takes_placement_advice()) return;
  for (const k8s::Toleration& t : workload.pod.tolerations()) {
    const std::string_view nodes = unwanted_nodes(t);
    if (t.op != "Exists" || !t.key.empty() || nodes.empty()) continue;
    report
        .add(*t.node, "toleration without a key matches every {}taint, including those {}",
             t.effect.empty() ? "" : std::string(t.effect) + " ", nodes)
        .help("add the key of the taint that the pod has to tolerate");
  }
}

}  // namespace cnsched::rules
