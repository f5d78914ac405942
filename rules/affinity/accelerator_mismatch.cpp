#include "core/accelerators/mismatch.h"
#include "core/workloads/pool_evidence.h"
#include "rules/affinity/doubt.h"
#include "rules/affinity/wording.h"
#include "rules/resource/origin.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Workload& workload, Report& report);

extern constinit const Rule affinity_accelerator_mismatch = {
    .id = "accelerator-mismatch",
    .severity = Severity::error,
    .summary = "the selected nodes cannot have the accelerator that is asked for",
    .why =
        "The pod stays Pending, because no node has both what its labels select and what its "
        "containers ask for. A label names the card, its vendor, its memory or how many there "
        "are; a request names a device, or a slice of one. Examples: amd.com/gpu on nodes with "
        "NVIDIA cards; an A100 with 40 GB and a label that asks for more memory; a MIG profile "
        "that the card does not have (1g.5gb exists on cards of 40 GB only); nvidia.com/mig-* "
        "beside a product that ends in -MIG-…, or on GKE, where slices are offered as "
        "nvidia.com/gpu; more GPUs than a node has.\n\n"
        "A warning where time-slicing or MIG might multiply the GPUs, and where it is not known "
        "what else is merged into the pod. The rule is silent on cards that it does not know, and "
        "where a node of the linted files, of those given by --cluster or of the configuration "
        "has both all the same.",
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
};

using accelerators::Mismatch;
using yaml::Node;

/// Whether something that is not known may undo it: what the object states itself stays, and the
/// presets of an LLMInferenceService lie beneath everything else.
static bool may_be_undone(const Workload& workload, const Node& a, const Node& b,
                          const Report& report) {
  const bool runtime_open =
      workload.object->kind == "InferenceService" && workload.lacks(k8s::Unknown::Kind::chosen);
  if (!workload.is_incomplete() && !runtime_open) return false;
  return setter_of(a, report) != workload.object || setter_of(b, report) != workload.object;
}

static void report_labels(const Workload& workload, const Mismatch& mismatch, Report& report) {
  const Node& place = place_of(mismatch.label);
  if (!mismatch.other) {
    report
        .add(place, "no node has {}, so the pod stays Pending: {}", described(mismatch.label),
             mismatch.misfit.why)
        .help("{}", mismatch.misfit.instead);
    return;
  }
  const Node& other = place_of(*mismatch.other);
  auto finding =
      report.add(place, "no node has both {} and {}, so the pod stays Pending: {}",
                 described(mismatch.label), described(*mismatch.other), mismatch.misfit.why);
  finding.note(other, "conflicts with this").help("{}", mismatch.misfit.instead);
  if (may_be_undone(workload, place, other, report)) tell_unknown(workload, place, finding);
}

/// At the label, unless it is inherited and the pod's object itself asks for the device.
static void report_device(const Workload& workload, const Mismatch& mismatch, Report& report) {
  const accelerators::AskedDevice& device = *mismatch.device;
  const Node& label = place_of(mismatch.label);
  const Node& amount = device.node->key() != nullptr ? *device.node->key() : *device.node;
  const bool at_label =
      setter_of(label, report) == workload.object || setter_of(amount, report) != workload.object;
  const bool unclear = mismatch.misfit.unless_shared;
  auto finding =
      report.add(at_label ? label : amount, "{} selects nodes that {} offer {}'{}'{}: {}{}",
                 described(mismatch.label), unclear ? "do not" : "never",
                 device.amount > 1 ? fmt::format("{} of ", device.amount) : "", device.name,
                 unclear ? "" : ", so the pod stays Pending", mismatch.misfit.why,
                 unclear ? ", unless they are shared or cut into slices" : "");
  finding.note(at_label ? amount : label, "{}",
               at_label ? "it is asked for here" : "the nodes are selected here");
  finding.help("{}", mismatch.misfit.instead);
  if (unclear) finding.severity(Severity::warning);
  if (may_be_undone(workload, label, amount, report)) tell_unknown(workload, label, finding);
}

static void check(const Workload& workload, Report& report) {
  if (!workload.never_created.empty()) return;
  if (workload.fragment && report.run().is_built_on(*workload.object)) return;
  const accelerators::Evidence evidence = evidence_in(report.facts().pools);
  for (const Mismatch& mismatch : accelerators::mismatches_of(workload.pod, evidence)) {
    if (mismatch.device) {
      report_device(workload, mismatch, report);
    } else {
      report_labels(workload, mismatch, report);
    }
  }
}

}  // namespace cnsched::rules
