#include <algorithm>

#include "core/base/text.h"
#include "core/kserve/knative_features.h"
#include "rules/common/mode_note.h"
#include "rules/rule.h"

namespace cnsched::rules::knative_feature_disabled {

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
static bool is_reported_at_flag(const GatedField& field, const Findings& findings) {
  const kserve::KnativeFlag& flag = *field.flag;
  return std::ranges::any_of(findings.facts().knative_features, [&](const kserve::FeatureMap& map) {
    const yaml::Node& value = map[flag.key];
    if (!value || !findings.scope().is_linted(value.span.file)) return false;
    return !kserve::reads_value(flag, value.text()) || kserve::is_too_weak(flag, value.text());
  });
}

/// Where to set the flag. Knative's operator overwrites the ConfigMap from its own object.
static std::string place_of_flags(const FlagVerdict& verdict, const Findings& findings) {
  constexpr std::string_view kMap = "config-features";
  if (verdict.node == nullptr) return std::string(kMap);
  const k8s::Object* object = findings.scope().object_around(verdict.node->span);
  if (object == nullptr) return "config-features, and in .cnsched.yaml";
  if (object->kind != "KnativeServing") return std::string(kMap);
  return fmt::format("{} of KnativeServing '{}'",
                     object->spec()["config"].under(kMap).is_mapping()
                         ? "spec.config.config-features"
                         : "spec.config.features",
                     object->name);
}

/// A feature map shows that the flag is off.
static void report_off(const Workload& workload, const GatedField& field,
                       const FlagVerdict& verdict, Findings& findings) {
  const bool serverless = workload.mode.mode == DeploymentMode::knative;
  const std::string_view flag = field.flag->key;
  auto finding = findings.add_at_key(
      *field.node, "{}Knative rejects {}, so no pod starts: the flag '{}' is {}",
      serverless ? "" : kInDefaultMode, described(field), flag, state_word(verdict.state));
  if (!serverless) finding.severity(Severity::warning);
  if (verdict.node != nullptr) finding.note(*verdict.node, "{}", remark_on(*verdict.node, flag));
  note_deployment_mode(workload, finding);
  finding.help("set '{}: enabled' in {}, or set {}", flag, place_of_flags(verdict, findings),
               raw_mode_setting(*workload.object, findings.facts().releases().kserve));
}

/// No file shows the state of the flag.
static void report_unknown(const Workload& workload, const GatedField& field, Findings& findings) {
  const bool serverless = workload.mode.mode == DeploymentMode::knative;
  auto finding = findings.add_at_key(
      *field.node,
      "{}Knative rejects {} unless the flag '{}' is on, and the state of the flag is unknown",
      serverless ? "" : kInDefaultMode, described(field), field.flag->key);
  const bool nothing_known = !serverless && !findings.facts().shows_deployment();
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
          : ", or set " + raw_mode_setting(*workload.object, findings.facts().releases().kserve));
}

static void check(const Workload& workload, Findings& findings) {
  for (const auto& [field, verdict] : workload.unaccepted_by_knative) {
    if (verdict.accepts == Truth::unknown) {
      report_unknown(workload, field, findings);
    } else if (!is_reported_at_flag(field, findings)) {
      report_off(workload, field, verdict, findings);
    }
  }
}

extern constinit const Rule rule = {
    .id = "knative-feature-disabled",
    .severity = Severity::error,
    .depends_on_workspace = true,
    .of = Domain::kserve,
    .check = check,
};

}  // namespace cnsched::rules::knative_feature_disabled
