#include "rules/rule.h"

namespace cnsched::rules::toleration_of_everything {

/// The nodes that the toleration should not open to the pod; empty if it is harmless.
static std::string_view unwanted_nodes(const k8s::Toleration& t) {
  if (t.effect.empty()) return "of the control plane and of cordoned or failing nodes";
  if (t.effect == k8s::kNoSchedule) return "of the control plane and of cordoned nodes";
  if (t.effect == k8s::kNoExecute) return "of failing nodes";
  return "";
}

static void check(const Workload& workload, Findings& findings) {
  for (const k8s::Toleration& t : workload.pod.tolerations()) {
    const std::string_view nodes = unwanted_nodes(t);
    if (t.op != "Exists" || !t.key.empty() || nodes.empty()) continue;
    findings
        .add(*t.node, "toleration without a key matches every {}taint, including those {}",
             t.effect.empty() ? "" : std::string(t.effect) + " ", nodes)
        .help("add the key of the taint that the pod has to tolerate");
  }
}

extern constinit const Rule rule = {
    .id = "toleration-of-everything",
    .severity = Severity::warning,
    .decided_by_subject = true,
    .of = Domain::placed | Domain::scheduled,
    .check = check,
};

}  // namespace cnsched::rules::toleration_of_everything
