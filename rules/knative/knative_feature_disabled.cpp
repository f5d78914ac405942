#include <algorithm>

#include "core/base/text.h"
#include "core/kserve/knative_flags.h"
#include "rules/kserve/mode_note.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Workload& workload, Report& report);

extern constinit const Rule knative_knative_feature_disabled = {
    .id = "knative-feature-disabled",
    .severity = Severity::error,
    .depends_on_workspace = true,
    .summary = "a field that Knative rejects unless a feature flag is on",
    .why =
        "No pod starts, although the API server accepts the InferenceService. In serverless "
        "(Knative) mode KServe creates a Knative Service for each component. Knative's webhook "
        "rejects scheduling fields, and others, unless the ConfigMap config-features (or "
        "spec.config.features of the KnativeServing) turns them on: 'admission webhook "
        "\"validation.webhook.serving.knative.dev\" denied the request: validation failed: must "
        "not set the field(s): spec.template.spec.nodeSelector'. The rejection is in the events "
        "and conditions of the InferenceService and in KServe's log, and KServe retries "
        "indefinitely.\n\n"
        "Volumes, init containers and second containers have their own messages: 'Persistent "
        "volume claim support is disabled', 'pod spec support for init-containers is off', "
        "'multi-container is off'. For most flags 'allowed' is enough; for these, and for "
        "capabilities, the value must be 'enabled'.\n\n"
        "The finding is an error if a feature map in the linted files or the --cluster files "
        "shows that the flag is off. It is a warning while the flag or the deployment mode is "
        "unknown, and info while nothing at all is known about either: deployment-mode-unknown "
        "then reports all of them in one warning.",
    .limits =
        "Open Data Hub and OpenShift AI turn on the flags of affinity, node selectors, tolerations "
        "and persistent volume claims. Objects with their label opendatahub.io/dashboard or "
        "annotation serving.knative.openshift.io/enablePassthrough are therefore reported only if "
        "a feature map shows that the flag is off. A flag in the linted files whose own value is "
        "wrong is reported once, by knative-feature-value. Workers are not checked: "
        "worker-on-knative reports them.",
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
    .admission =
        AdmissionCheck{
            .kinds = "InferenceService",
            .errors = R"cel(
pod.name.endsWith('worker') || deployment_mode(pod.object) != 'knative' ? [] :
pod.gated.filter(g, is_off(g))
  .map(g, 'Knative rejects ' + g.field + ", so no pod starts: the flag '" + g.flag + "' is " + off_word(g) +
    "; set '" + g.flag + ": enabled' in config-features, or set 'serving.kserve.io/deploymentMode: RawDeployment' (Standard from KServe 0.16 on)"))cel",
            .warnings = R"cel(
pod.name.endsWith('worker') ? [] : [deployment_mode(pod.object)].map(mode,
  (mode != '' ? [] : pod.gated.filter(g, is_off(g))
    .map(g, "in serverless (Knative) mode, KServe's default, Knative rejects " + g.field + ", so no pod starts: the flag '" + g.flag + "' is " + off_word(g) +
      "; set '" + g.flag + ": enabled' in config-features, or set 'serving.kserve.io/deploymentMode: RawDeployment' (Standard from KServe 0.16 on)")) +
  (mode != 'knative' && (mode != '' || !shows_deployment()) ? [] : pod.gated.filter(g, is_unknown(g))
    .map(g, (mode == '' ? "in serverless (Knative) mode, KServe's default, " : '') + 'Knative rejects ' + g.field + " unless the flag '" + g.flag + "' is on, and the state of the flag is unknown" +
      "; if the flag is not on, set '" + g.flag + ": enabled' in config-features"))).filter(l, l.size() > 0).map(l, l.join('\n')))cel",
            .infos = R"cel(
pod.name.endsWith('worker') || deployment_mode(pod.object) != '' || shows_deployment() ? [] : pod.gated.filter(g, is_unknown(g))
  .map(g, "in serverless (Knative) mode, KServe's default, Knative rejects " + g.field + " unless the flag '" + g.flag + "' is on, and the state of the flag is unknown"))cel",
        },
};

using kserve::DeploymentMode;
using kserve::FlagVerdict;
using kserve::GatedField;

/// The field's name in messages.
static std::string described(const GatedField& field) {
  if (field.flag->key == "multi-container") return "a second container";
  // KServe adds it; no manifest has it.
  if (field.field == "initContainers" && field.node->at(0)["name"].made) {
    return "the init container that 'storageUris' requires";
  }
  const std::size_t space = field.field.find(' ');
  if (space == std::string::npos) return fmt::format("'{}'", field.field);
  return fmt::format("'{}'{}", field.field.substr(0, space), field.field.substr(space));
}

static std::string_view state_word(kserve::FlagState state) {
  return state == kserve::FlagState::allowed ? "'allowed' and must be 'enabled'" : "off";
}

/// The note at the setting that keeps the flag off.
static std::string_view remark_on(const yaml::Node& said, std::string_view flag) {
  if (said.key() == nullptr || said.key()->text() != flag)
    return "the flag is not set here, and its default is off";
  for (const std::string_view state : {"enabled", "allowed", "disabled"}) {
    if (equals_ignoring_case(said.text(), state)) return "the flag is set here";
  }
  return "Knative ignores this value: use enabled, allowed or disabled";
}

/// Whether knative-feature-value reports the flag itself: its value should turn the flag on, and
/// does not.
static bool is_reported_at_flag(const GatedField& field, const Report& report) {
  const kserve::KnativeFlag& flag = *field.flag;
  return std::ranges::any_of(report.facts().knative_features, [&](const kserve::FeatureMap& map) {
    const yaml::Node& value = map[flag.key];
    if (!value || !report.scope().is_linted(value.span.file)) return false;
    return !kserve::reads_value(flag, value.text()) || kserve::is_too_weak(flag, value.text());
  });
}

/// Where to set the flag. Knative's operator overwrites the ConfigMap from its own object.
static std::string place_of_flags(const FlagVerdict& verdict, const Report& report) {
  constexpr std::string_view kMap = "config-features";
  if (verdict.node == nullptr) return std::string(kMap);
  const k8s::Object* object = report.scope().object_around(verdict.node->span);
  if (object == nullptr) return "config-features, and in .cnsched.yaml";
  if (object->kind != "KnativeServing") return std::string(kMap);
  return fmt::format("{} of KnativeServing '{}'",
                     object->spec()["config"][kMap].is_mapping() ? "spec.config.config-features"
                                                                 : "spec.config.features",
                     object->name);
}

/// A feature map shows that the flag is off.
static void report_off(const Workload& workload, const GatedField& field,
                       const FlagVerdict& verdict, Report& report) {
  const bool serverless = workload.mode.mode == DeploymentMode::knative;
  const std::string_view flag = field.flag->key;
  auto finding = report.add_at_key(
      *field.node, "{}Knative rejects {}, so no pod starts: the flag '{}' is {}",
      serverless ? "" : kInDefaultMode, described(field), flag, state_word(verdict.state));
  if (!serverless) finding.severity(Severity::warning);
  if (verdict.node != nullptr) finding.note(*verdict.node, "{}", remark_on(*verdict.node, flag));
  note_deployment_mode(workload, finding);
  finding.help("set '{}: enabled' in {}, or set {}", flag, place_of_flags(verdict, report),
               raw_mode_setting(*workload.object, report.facts().releases().kserve));
}

/// No file shows the state of the flag.
static void report_unknown(const Workload& workload, const GatedField& field, Report& report) {
  const bool serverless = workload.mode.mode == DeploymentMode::knative;
  auto finding = report.add_at_key(
      *field.node,
      "{}Knative rejects {} unless the flag '{}' is on, and the state of the flag is unknown",
      serverless ? "" : kInDefaultMode, described(field), field.flag->key);
  const bool nothing_known = !serverless && !report.facts().shows_deployment();
  finding.severity(nothing_known ? Severity::info : Severity::warning);
  note_deployment_mode(workload, finding);
  if (nothing_known) {
    finding.help("the finding 'deployment-mode-unknown' shows which facts to write");
    return;
  }
  finding.help(
      "if the flag is on, pass config-features with --cluster or set the flag in .cnsched.yaml; if "
      "not, set '{}: enabled' in config-features{}",
      field.flag->key,
      serverless
          ? ""
          : ", or set " + raw_mode_setting(*workload.object, report.facts().releases().kserve));
}

static void check(const Workload& workload, Report& report) {
  if (!is_read_by_kserve(*workload.object)) return;
  for (const auto& [field, verdict] : workload.unaccepted_by_knative) {
    if (verdict.kind == FlagVerdict::Kind::unknown) {
      report_unknown(workload, field, report);
    } else if (!is_reported_at_flag(field, report)) {
      report_off(workload, field, verdict, report);
    }
  }
}

}  // namespace cnsched::rules
