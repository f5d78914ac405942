#include <algorithm>
#include <optional>

#include "core/accelerators/catalogue.h"
#include "core/base/quantity.h"
#include "core/kserve/containers.h"
#include "core/kserve/hardware_profile.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Workload& workload, Report& report);

extern constinit const Rule kserve_hardware_profile_overrides = {
    .id = "hardware-profile-overrides",
    .severity = Severity::warning,
    .depends_on_workspace = true,
    .summary = "a HardwareProfile replaces a node selector label, or lowers resources of a runtime",
    .details =
        "The rule reports a label of the service's 'nodeSelector' that the profile sets to another "
        "value or removes, and memory or accelerators of a runtime or LLMInferenceServiceConfig "
        "that are larger than the profile's 'defaultCount'.",
    .why =
        "The pods run on other nodes than the manifest says, or get less memory or fewer "
        "accelerators than the runtime was made for. Open Data Hub's webhook merges the profile "
        "into the service before KServe reads it: the profile's labels win over the service's, and "
        "its amounts then win over the runtime's.",
    .limits =
        "The rule follows 'cluster.openDataHub', or the newest release without one. It reports "
        "only "
        "profiles and runtimes in the workspace, and no amounts of CPU.",
    .bad = R"(
apiVersion: infrastructure.opendatahub.io/v1
kind: HardwareProfile
metadata:
  name: l4
  namespace: ml
spec:
  scheduling:
    type: Node
    node:
      nodeSelector: {cloud.google.com/gke-accelerator: nvidia-l4}
---
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: llama
  namespace: ml
  annotations:
    opendatahub.io/hardware-profile-name: l4
    serving.kserve.io/deploymentMode: RawDeployment
spec:
  predictor:
    deploymentStrategy: {type: Recreate}
    nodeSelector: {cloud.google.com/gke-accelerator: nvidia-tesla-t4}
    model:
      modelFormat: {name: onnx}
      resources:
        limits: {nvidia.com/gpu: 1}
)",
    .good = R"(
apiVersion: infrastructure.opendatahub.io/v1
kind: HardwareProfile
metadata:
  name: l4
  namespace: ml
spec:
  scheduling:
    type: Node
    node:
      nodeSelector: {cloud.google.com/gke-accelerator: nvidia-l4}
---
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: llama
  namespace: ml
  annotations:
    opendatahub.io/hardware-profile-name: l4
    serving.kserve.io/deploymentMode: RawDeployment
spec:
  predictor:
    deploymentStrategy: {type: Recreate}
    nodeSelector: {topology.kubernetes.io/zone: europe-west4-a}
    model:
      modelFormat: {name: onnx}
      resources:
        limits: {nvidia.com/gpu: 1}
)",
    .source =
        "https://github.com/opendatahub-io/opendatahub-operator/blob/v3.5.0/internal/webhook/"
        "hardwareprofile/mutating.go",
    .check = check,
    .not_exported = "it depends on the HardwareProfile that the service names",
};

using yaml::Node;

static void check_selector(const Workload& workload, const k8s::Object& profile, Report& report) {
  const std::vector<k8s::Label> merged = workload.created.node_selector();
  if (merged.empty()) return;  // Knative mode may drop the field
  for (const k8s::Label& own : workload.own.node_selector()) {
    const auto label = std::ranges::find(merged, own.key, &k8s::Label::key);
    if (label != merged.end() && label->value == own.value) continue;
    if (label == merged.end()) {
      report
          .add_at_key(*own.node,
                      "the label '{}' is lost: HardwareProfile '{}' replaces the whole "
                      "nodeSelector",
                      own.key, profile.name)
          .note(merged.front().node->key() ? *merged.front().node->key() : *merged.front().node,
                "this nodeSelector replaces it")
          .help("add the label to the HardwareProfile");
      continue;
    }
    report
        .add(*own.node,
             "HardwareProfile '{}' replaces '{}' by '{}': the pods run on the nodes of "
             "the profile",
             profile.name, own.value, label->value)
        .note(*label->node, "this label wins")
        .help("remove the label here, or name another HardwareProfile");
  }
}

/// The request for the resource in the container of that name, of the last base that has one.
static const Node& request_in_bases(const Workload& workload, std::string_view container,
                                    std::string_view resource) {
  const Node* found = &yaml::missing_node();
  for (const k8s::Base& base : workload.bases) {
    const Node& resources = k8s::item_named(base.pod["containers"], container)["resources"];
    const Node& request = resources["requests"][resource];
    const Node& amount = request ? request : resources["limits"][resource];
    if (amount) found = &amount;
  }
  return *found;
}

static void check_amounts(const Workload& workload, const k8s::Object& profile, Report& report) {
  const bool is_llm = workload.object->kind == "LLMInferenceService";
  const std::string_view name = is_llm ? "main" : kserve::kServingContainer;
  const Node& requests = k8s::item_named(workload.pod["containers"], name)["resources"]["requests"];
  for (const k8s::ResourceAmount& amount : k8s::amounts_in(requests)) {
    if (amount.name != "memory" && !accelerators::is_accelerator(amount.name)) continue;
    if (report.scope().object_around(amount.node->span) != &profile) continue;
    const Node& base = request_in_bases(workload, name, amount.name);
    const auto before = Quantity::parse(base.text());
    const auto after = Quantity::parse(amount.node->text());
    if (!before || !after || *after >= *before) continue;
    report
        .add(*kserve::profile_reference(*workload.object).name,
             "HardwareProfile '{}' lowers '{}' from {} to {}", profile.name, amount.name,
             base.text(), amount.node->text())
        .note(*amount.node, "the profile sets this")
        .note(base, "the amount without the profile")
        .help("write the amount in 'resources' of the service: the profile keeps it");
  }
}

static void check(const Workload& workload, Report& report) {
  if (!workload.is_built()) return;
  const k8s::Object* profile = kserve::profile_of(workload);
  // A canary repeats what the stable predictor has.
  if (profile == nullptr || workload.component.starts_with("canary")) return;
  check_selector(workload, *profile, report);
  check_amounts(workload, *profile, report);
}

}  // namespace cnsched::rules
