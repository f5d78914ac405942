#include "core/k8s/label.h"
#include "core/kserve/fields.h"
#include "core/kserve/hardware_profile.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const k8s::Object& object, Report& report);

extern constinit const Rule kserve_unknown_hardware_profile = {
    .id = "unknown-hardware-profile",
    .severity = Severity::error,
    .depends_on_workspace = true,
    .summary = "the HardwareProfile that a service names does not exist in its namespace",
    .details =
        "A finding is a warning if it is not known whether the files have every HardwareProfile of "
        "the namespace, and one of that name is in another namespace.",
    .why =
        "No pod is created: Open Data Hub's webhook rejects the InferenceService or "
        "LLMInferenceService with 'hardware profile not found'. Without the annotation "
        "'opendatahub.io/hardware-profile-namespace' the webhook looks in the namespace of the "
        "service, while the dashboard looks in its own and so shows the service as correct.",
    .limits =
        "The rule considers the HardwareProfiles of a namespace complete if a --cluster file has "
        "one of that namespace. It does not report services without a namespace.",
    .bad = R"(
apiVersion: infrastructure.opendatahub.io/v1
kind: HardwareProfile
metadata:
  name: gpu
  namespace: opendatahub
spec:
  identifiers:
  - {identifier: nvidia.com/gpu, displayName: GPU, minCount: 1, defaultCount: 1}
---
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: llama
  namespace: ml
  annotations:
    opendatahub.io/hardware-profile-name: gpu
spec:
  predictor:
    model:
      modelFormat: {name: onnx}
)",
    .good = R"(
apiVersion: infrastructure.opendatahub.io/v1
kind: HardwareProfile
metadata:
  name: gpu
  namespace: opendatahub
spec:
  identifiers:
  - {identifier: cpu, displayName: CPU, minCount: 1, defaultCount: 1}
---
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: llama
  namespace: ml
  annotations:
    opendatahub.io/hardware-profile-name: gpu
    opendatahub.io/hardware-profile-namespace: opendatahub
spec:
  predictor:
    model:
      modelFormat: {name: onnx}
)",
    .source =
        "https://github.com/opendatahub-io/opendatahub-operator/blob/v3.5.0/internal/webhook/"
        "hardwareprofile/mutating.go",
    .check = check,
    .fix = Safety::unsafe,
    .not_exported = "it depends on the HardwareProfiles of the namespace",
};

static void add_namespace(const kserve::ProfileReference& reference, const k8s::Object& profile,
                          Report& report, Report::Finding& finding) {
  constexpr std::string_view kKey = "opendatahub.io/hardware-profile-namespace";
  finding.note(profile["metadata"]["name"], "this HardwareProfile is in namespace '{}'",
               profile.ns);
  const std::string help = fmt::format("add the annotation '{}: {}'", kKey, profile.ns);
  finding.help("{}", help);
  finding.fix(
      Safety::unsafe, help,
      {yaml::to_add_entry(*reference.name->parent(), kKey, report.make_string(profile.ns))});
}

static void check(const k8s::Object& object, Report& report) {
  if (report.scope().is_patch(object) || !kserve::reads_hardware_profiles(object)) return;
  const kserve::ProfileReference reference = kserve::profile_reference(object);
  const std::string_view name = reference.name->text();
  if (name.empty() || reference.ns.empty()) return;
  if (k8s::is_placeholder(name) || k8s::is_placeholder(reference.ns)) return;
  const k8s::Objects& index = report.scope().index();
  if (kserve::contains_profile(index, reference.ns, name)) return;
  const bool complete = report.facts().namespaces_with_profiles.contains(reference.ns);
  const k8s::Object* elsewhere =
      reference.has_own_namespace ? nullptr : kserve::find_profile(index, "", name, object);
  if (!complete && elsewhere == nullptr) return;
  auto finding = report.add(*reference.name,
                            "HardwareProfile '{}' {} in namespace '{}': {}the webhook of Open Data "
                            "Hub rejects the {}",
                            name, complete ? "does not exist" : "is not known", reference.ns,
                            complete ? "" : "unless it exists there, ", object.kind);
  if (!complete) finding.severity(Severity::warning);
  if (elsewhere != nullptr) {
    add_namespace(reference, *elsewhere, report, finding);
  } else {
    finding.help("name an existing HardwareProfile, or remove the annotation");
  }
}

}  // namespace cnsched::rules
