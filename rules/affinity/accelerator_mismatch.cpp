#include "core/accelerators/conflict.h"
#include "core/workloads/known_nodes.h"
#include "rules/affinity/wording.h"
#include "rules/resource/origin.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Workload& workload, Report& report);

extern constinit const Rule affinity_accelerator_mismatch = {
    .id = "accelerator-mismatch",
    .severity = Severity::error,
    .summary = "the selected nodes cannot have the requested accelerator",
    .why =
        "The pod stays Pending, because no node has both the labels that the pod selects and the "
        "devices that its containers request. A label names the card, its vendor, its memory or "
        "the number of cards; a request names a device or a slice of one. Examples are amd.com/gpu "
        "on nodes with NVIDIA cards, an A100 with 40 GB and a label that requires more memory, and "
        "more GPUs than a node has.\n\n"
        "A MIG slice mismatches in three ways. The card does not have the profile: 1g.5gb exists "
        "only on cards with 40 GB. The request is nvidia.com/mig-*, but the selected product ends "
        "in -MIG-…. The node is on GKE, which advertises slices as nvidia.com/gpu.\n\n"
        "The finding is a warning if time-slicing or MIG may multiply the GPUs, or if it is not "
        "known what else is merged into the pod.",
    .limits =
        "Cards that cnsched does not know are not compared. The rule reports nothing if a node of "
        "the linted files, the --cluster files or the configuration has both the label and the "
        "device. A runtime that a pod of these files uses is checked as part of that pod.",
    .bad = R"(
nodeSelector:
  nvidia.com/gpu.product: NVIDIA-A100-SXM4-80GB
model:
  modelFormat: {name: huggingface}
  resources:
    limits: {nvidia.com/mig-1g.5gb: 1}
)",
    .good = R"(
nodeSelector:
  nvidia.com/gpu.product: NVIDIA-A100-SXM4-80GB
model:
  modelFormat: {name: huggingface}
  resources:
    limits: {nvidia.com/mig-1g.10gb: 1}
)",
    .source = "https://docs.nvidia.com/datacenter/tesla/mig-user-guide/",
    .check = check,
    .not_exported =
        "it compares with all known cards, sizes and machines, too large a table for an expression",
};

using accelerators::Conflict;
using yaml::Node;

/// Whether an unknown object may resolve the conflict. Values of the pod's own object stay in the
/// pod, and an LLMInferenceService overrides its presets.
static bool may_be_resolved(const Workload& workload, const Node& a, const Node& b,
                            const Report& report) {
  const bool runtime_open = workload.object->kind == "InferenceService" &&
                            workload.has_unknown(k8s::Unknown::Kind::chosen);
  if (!workload.is_incomplete() && !runtime_open) return false;
  return setter_of(a, report) != workload.object || setter_of(b, report) != workload.object;
}

static void report_labels(const Workload& workload, const Conflict& conflict, Report& report) {
  const Node& place = place_of(conflict.labels.back());
  if (conflict.labels.size() == 1) {
    report
        .add(place, "no node has {}, so the pod stays Pending: {}",
             described(conflict.labels.back()), conflict.reason)
        .help("{}", conflict.advice);
    return;
  }
  const Node& other = place_of(conflict.labels.front());
  auto finding = report.add(place, "no node has both {} and {}, so the pod stays Pending: {}",
                            described(conflict.labels.back()), described(conflict.labels.front()),
                            conflict.reason);
  finding.note(other, "the conflicting requirement").help("{}", conflict.advice);
  if (may_be_resolved(workload, place, other, report)) note_unknown(workload, place, finding);
}

/// Points at the label, unless it is inherited and the pod's object itself requests the device.
static void report_device(const Workload& workload, const Conflict& conflict, Report& report) {
  const accelerators::DeviceRequest& device = *conflict.device;
  const Node& label = place_of(conflict.labels.back());
  const Node& amount = device.node->key() != nullptr ? *device.node->key() : *device.node;
  const bool at_label =
      setter_of(label, report) == workload.object || setter_of(amount, report) != workload.object;
  const bool unclear = conflict.unless_shared;
  auto finding =
      report.add(at_label ? label : amount, "{} selects nodes that {} have {}'{}'{}: {}{}",
                 described(conflict.labels.back()), unclear ? "do not" : "never",
                 device.amount > 1 ? fmt::format("{} of ", device.amount) : "", device.name,
                 unclear ? "" : ", so the pod stays Pending", conflict.reason,
                 unclear ? ", unless they are shared or partitioned" : "");
  finding.note(
      at_label ? amount : label, "{}",
      at_label ? "the container requests the accelerator here" : "the label is required here");
  finding.help("{}", conflict.advice);
  if (unclear) finding.severity(Severity::warning);
  if (may_be_resolved(workload, label, amount, report)) note_unknown(workload, label, finding);
}

static void check(const Workload& workload, Report& report) {
  if (!workload.is_built()) return;
  if (workload.fragment && report.scope().is_built_on(*workload.object)) return;
  const accelerators::KnownNodes known = known_nodes(report.facts().pools);
  for (const Conflict& conflict : accelerators::accelerator_conflicts(workload.pod, known)) {
    if (conflict.device) {
      report_device(workload, conflict, report);
    } else {
      report_labels(workload, conflict, report);
    }
  }
}

}  // namespace cnsched::rules
