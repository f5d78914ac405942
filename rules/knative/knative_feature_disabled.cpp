#include <algorithm>

#include "core/base/text.h"
#include "core/kserve/knative_flags.h"
#include "core/kserve/open_data_hub.h"
#include "rules/kserve/mode_note.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Workload& workload, Report& report);

extern constinit const Rule knative_knative_feature_disabled = {
    .id = "knative-feature-disabled",
    .severity = Severity::error,
    .depends_on_run = true,
    .summary = "a field that Knative refuses unless a feature flag is set",
    .why =
        "No pod starts, although applying the InferenceService succeeds. In serverless (Knative) "
        "mode KServe turns each component into a Knative Service, and Knative's webhook refuses "
        "scheduling fields, and others, unless the ConfigMap config-features (or "
        "spec.config.features of the KnativeServing) switches them on: 'admission webhook "
        "\"validation.webhook.serving.knative.dev\" denied the request: validation failed: must "
        "not set the field(s): spec.template.spec.nodeSelector'. The refusal appears in the "
        "events and conditions of the InferenceService and in KServe's log, and is retried for "
        "ever.\n\n"
        "Volumes, init containers and second containers have texts of their own ('Persistent "
        "volume claim support is disabled', 'pod spec support for init-containers is off', "
        "'multi-container is off'). For most flags 'allowed' is enough; for these, and for "
        "capabilities, it has to be 'enabled'.\n\n"
        "An error where a feature map in the linted files or those given by --cluster shows the "
        "flag off; a warning while the flags or the deployment mode are unknown. Open Data Hub "
        "and OpenShift AI switch on the flags of affinity, node selectors, tolerations and "
        "persistent volume claims: with their label opendatahub.io/dashboard or annotation "
        "serving.knative.openshift.io/enablePassthrough these fields are reported only if such a "
        "map shows the flag off. Where the value of the flag is itself the mistake, it is "
        "reported by knative-feature-value, once.",
    .bad = R"(
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: example
  annotations:
    serving.kserve.io/deploymentMode: Serverless
spec:
  predictor:
    nodeSelector:
      cloud.google.com/gke-accelerator: nvidia-l4
    model:
      modelFormat: {name: onnx}
      resources:
        limits: {nvidia.com/gpu: 1}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: config-features
  namespace: knative-serving
data:
  kubernetes.podspec-nodeselector: disabled
)",
    .good = R"(
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: example
  annotations:
    serving.kserve.io/deploymentMode: Serverless
spec:
  predictor:
    nodeSelector:
      cloud.google.com/gke-accelerator: nvidia-l4
    model:
      modelFormat: {name: onnx}
      resources:
        limits: {nvidia.com/gpu: 1}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: config-features
  namespace: knative-serving
data:
  kubernetes.podspec-nodeselector: enabled
)",
    .source = "https://knative.dev/docs/serving/configuration/feature-flags/",
    .check = check,
};

using kserve::DeploymentMode;
using kserve::FeatureVerdict;
using kserve::GatedField;

/// The field as a message names it.
static std::string described(const GatedField& field) {
  if (field.feature->flag == "multi-container") return "a second container";
  // KServe's own, which no manifest writes.
  if (field.field == "initContainers" && field.node->at(0)["name"].made) {
    return "the init container that 'storageUris' takes";
  }
  const std::size_t space = field.field.find(' ');
  if (space == std::string::npos) return fmt::format("'{}'", field.field);
  return fmt::format("'{}'{}", field.field.substr(0, space), field.field.substr(space));
}

static std::string_view state_word(kserve::FlagState state) {
  return state == kserve::FlagState::allowed ? "'allowed', and has to be 'enabled'" : "off";
}

/// What the note at the place that keeps the flag off says.
static std::string_view remark_on(const yaml::Node& said, std::string_view flag) {
  if (said.key() == nullptr || said.key()->text() != flag)
    return "no flag of that name is set here";
  for (const std::string_view state : {"enabled", "allowed", "disabled"}) {
    if (equals_ignoring_case(said.text(), state)) return "it is set here";
  }
  return "Knative ignores this value: it knows enabled, allowed and disabled";
}

/// Whether the line to change is the flag's own, where knative-feature-value reports it: it is
/// meant to let the field through, and does not.
static bool is_reported_at_flag(const GatedField& field, const Report& report) {
  const kserve::KnativeFlag* flag = kserve::find_knative_flag(field.feature->flag);
  return std::ranges::any_of(report.facts().knative_features, [&](const kserve::FeatureMap& map) {
    const yaml::Node& value = map[field.feature->flag];
    if (flag == nullptr || !value || !report.run().is_linted(value.span.file)) return false;
    return !kserve::reads_value(*flag, value.text()) || kserve::is_too_weak(*flag, value.text());
  });
}

constexpr std::string_view kInDefaultMode = "in serverless mode, KServe's default, ";

/// Where the flag is to be set. The operator writes the ConfigMap over from its own object.
static std::string place_of_flags(const FeatureVerdict& verdict, const Report& report) {
  constexpr std::string_view kMap = "config-features";
  if (verdict.said == nullptr) return std::string(kMap);
  const k8s::Object* object = report.run().object_around(verdict.said->span);
  if (object == nullptr) return "config-features, and in .cnsched.yaml";
  if (object->kind != "KnativeServing") return std::string(kMap);
  return fmt::format("{} of KnativeServing '{}'",
                     object->spec()["config"][kMap].is_mapping() ? "spec.config.config-features"
                                                                 : "spec.config.features",
                     object->name);
}

/// A map of the run shows the flag off.
static void report_refused(const Workload& workload, const GatedField& field,
                           const FeatureVerdict& verdict, Report& report) {
  const bool serverless = workload.mode.mode == DeploymentMode::knative;
  const std::string_view flag = field.feature->flag;
  auto finding = report.add_at_key(
      *field.node, "{}Knative refuses {}, so no pod starts: the flag '{}' is {}",
      serverless ? "" : kInDefaultMode, described(field), flag, state_word(verdict.state));
  if (!serverless) finding.severity(Severity::warning);
  if (verdict.said != nullptr) finding.note(*verdict.said, "{}", remark_on(*verdict.said, flag));
  note_deployment_mode(workload, finding);
  finding.help("set '{}: enabled' in {}, or switch to {}", flag, place_of_flags(verdict, report),
               raw_mode_setting(*workload.object, report.facts().kserve));
}

/// Nothing in the run tells how the flag stands.
static void report_unknown(const Workload& workload, const GatedField& field, Report& report) {
  const bool serverless = workload.mode.mode == DeploymentMode::knative;
  auto finding = report.add_at_key(
      *field.node, "{}Knative refuses {} without the flag '{}', and whether it is set is not known",
      serverless ? "" : kInDefaultMode, described(field), field.feature->flag);
  finding.severity(Severity::warning);
  note_deployment_mode(workload, finding);
  finding.help(
      "if the cluster sets it, say so with --cluster or in .cnsched.yaml; if not, set '{}: "
      "enabled' in config-features{}",
      field.feature->flag,
      serverless ? ""
                 : ", or switch to " + raw_mode_setting(*workload.object, report.facts().kserve));
}

static bool runs_on_open_data_hub(const Workload& workload) {
  return kserve::is_of_open_data_hub(*workload.object) ||
         std::ranges::any_of(workload.bases, [](const k8s::Base& base) {
           return kserve::is_of_open_data_hub(*base.object);
         });
}

static void check(const Workload& workload, Report& report) {
  if (!is_read_by_kserve(*workload.object) || !may_be_serverless(workload, report)) return;
  // The Knative path ignores workers: another rule's business.
  if (workload.component.ends_with("worker")) return;
  const bool on_platform = runs_on_open_data_hub(workload);
  for (const GatedField& field : kserve::gated_fields(workload.in_template.node())) {
    const FeatureVerdict verdict =
        kserve::verdict_on(*field.feature, report.facts().knative_features);
    if (verdict.kind == FeatureVerdict::Kind::refuses) {
      if (is_reported_at_flag(field, report)) continue;
      report_refused(workload, field, verdict, report);
    } else if (verdict.kind == FeatureVerdict::Kind::unknown &&
               !(on_platform && kserve::is_set_by_open_data_hub(field.feature->flag))) {
      report_unknown(workload, field, report);
    }
  }
}

}  // namespace cnsched::rules
