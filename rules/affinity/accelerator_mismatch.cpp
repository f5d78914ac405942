#include "core/accelerators/conflict.h"
#include "core/facts/known_pools.h"
#include "rules/common/wording.h"
#include "rules/rule.h"

namespace cnsched::rules::accelerator_mismatch {

using accelerators::Conflict;
using yaml::Node;

/// Whether an unknown object may resolve the conflict. Values of the pod's own object stay in the
/// pod, and an LLMInferenceService overrides its presets.
static bool may_be_resolved(const Workload& workload, const Node& a, const Node& b,
                            const Findings& findings) {
  const bool runtime_open = workload.object->kind == "InferenceService" &&
                            workload.has_unknown(k8s::Unknown::Kind::chosen);
  if (!workload.is_incomplete() && !runtime_open) return false;
  return setter_of(a, findings) != workload.object || setter_of(b, findings) != workload.object;
}

static void report_labels(const Workload& workload, const Conflict& conflict, Findings& findings) {
  const Node& place = place_of(conflict.labels.back());
  if (conflict.labels.size() == 1) {
    findings
        .add(place, "no node has {}, so the pod stays Pending: {}",
             described(conflict.labels.back()), conflict.reason)
        .help("{}", conflict.advice);
    return;
  }
  const Node& other = place_of(conflict.labels.front());
  auto finding = findings.add(place, "no node has both {} and {}, so the pod stays Pending: {}",
                              described(conflict.labels.back()), described(conflict.labels.front()),
                              conflict.reason);
  finding.note(other, "the conflicting requirement").help("{}", conflict.advice);
  if (may_be_resolved(workload, place, other, findings)) note_unknown(workload, place, finding);
}

/// Points at the label, unless it is inherited and the pod's object itself requests the device.
static void report_device(const Workload& workload, const Conflict& conflict, Findings& findings) {
  const accelerators::DeviceRequest& device = *conflict.device;
  const Node& label = place_of(conflict.labels.back());
  const Node& amount = device.node->key() != nullptr ? *device.node->key() : *device.node;
  const bool at_label = setter_of(label, findings) == workload.object ||
                        setter_of(amount, findings) != workload.object;
  const bool unclear = conflict.unless_shared;
  auto finding =
      findings.add(at_label ? label : amount, "{} selects nodes that {} have {}'{}'{}: {}{}",
                   described(conflict.labels.back()), unclear ? "do not" : "never",
                   device.amount > 1 ? fmt::format("{} of ", device.amount) : "", device.name,
                   unclear ? "" : ", so the pod stays Pending", conflict.reason,
                   unclear ? ", unless they are shared or partitioned" : "");
  finding.note(
      at_label ? amount : label, "{}",
      at_label ? "the container requests the accelerator here" : "the label is required here");
  finding.help("{}", conflict.advice);
  if (unclear) finding.severity(Severity::warning);
  if (may_be_resolved(workload, label, amount, findings)) note_unknown(workload, label, finding);
}

static void check(const Workload& workload, Findings& findings) {
  const accelerators::KnownNodes known = known_nodes(findings.facts().pools);
  for (const Conflict& conflict : accelerators::accelerator_conflicts(workload.pod, known)) {
    if (conflict.device) {
      report_device(workload, conflict, findings);
    } else {
      report_labels(workload, conflict, findings);
    }
  }
}

extern constinit const Rule rule = {
    .id = "accelerator-mismatch",
    .severity = Severity::error,
    .of = Domain::built | Domain::unused_parts,
    .check = check,
};

}  // namespace cnsched::rules::accelerator_mismatch
