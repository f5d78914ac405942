#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Workload& workload, Report& report);

extern constinit const Rule toleration_toleration_of_everything = {
    .id = "toleration-of-everything",
    .severity = Severity::warning,
    .summary = "a toleration without a key tolerates every taint",
    .why =
        "The pod may be put on a node that is cordoned or not ready, on the control plane and on "
        "other teams' nodes, and with no effect named it is not evicted from a failing node "
        "either: operator Exists without a key matches every taint. Only node agents (DaemonSets) "
        "mean that.",
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

/// What hurts most of all that the toleration lets through; empty where it hurts nobody.
static std::string_view worst_of(const k8s::Toleration& t) {
  if (t.effect.empty()) return "those of the control plane and of cordoned or failing nodes";
  if (t.effect == k8s::kNoSchedule) return "those of the control plane and of cordoned nodes";
  if (t.effect == k8s::kNoExecute) return "those of nodes that have failed";
  return "";
}

static void check(const Workload& workload, Report& report) {
  if (workload.object->kind == "DaemonSet" || !workload.takes_placement_advice()) return;
  for (const k8s::Toleration& t : workload.pod.tolerations()) {
    const std::string_view worst = worst_of(t);
    if (t.op != "Exists" || !t.key.empty() || worst.empty()) continue;
    report
        .add(*t.node, "every {}taint is tolerated, also {}",
             t.effect.empty() ? "" : std::string(t.effect) + " ", worst)
        .help("name the key of the taint that is meant");
  }
}

}  // namespace cnsched::rules
