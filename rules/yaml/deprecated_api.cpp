#include <algorithm>
#include <array>
#include <string>

#include "core/kserve/deployment_mode.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const k8s::Object& object, Report& report);

extern constinit const Rule yaml_deprecated_api = {
    .id = "deprecated-api",
    .severity = Severity::warning,
    .summary = "an API version or mode name that is on its way out, or gone",
    .why =
        "KServe was called KFServing, and its group serving.kubeflow.org: no release of KServe "
        "reads it, so where the old CRDs are still installed the object is stored and no pod is "
        "ever made of it, and elsewhere it is refused ('no matches for kind'). The same goes for "
        "KnativeServing in operator.knative.dev/v1alpha1 since the operator's release 1.6. An "
        "error where it is certain to be refused: InferenceService never was in "
        "serving.kserve.io/v1alpha2, and extensions/v1beta1 left Kubernetes with 1.16. Info where "
        "it is still served, and only has a newer name: SeldonDeployment in v1alpha2 or v1alpha3, "
        "and, once the KServe release is known to have the new ones, LLMInferenceService in "
        "v1alpha1 and the modes RawDeployment and Serverless.",
    .bad = R"(
apiVersion: serving.kubeflow.org/v1alpha2
kind: InferenceService
metadata:
  name: flowers
spec:
  default:
    predictor:
      tensorflow:
        storageUri: gs://models/flowers
)",
    .good = R"(
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: flowers
spec:
  predictor:
    tensorflow:
      storageUri: gs://models/flowers
)",
    .source = "https://github.com/kserve/kserve/tree/master/config/crd/full",
    .check = check,
};

using yaml::Node;

namespace {

/// Versions of a kind that are served no more, or for the sake of old manifests only.
struct Outdated {
  std::string_view api_version;
  std::string_view kind;  ///< "*": any
  Severity severity;
  std::string_view consequence;
  std::string_view current;
  std::string_view also = {};  ///< what else has to change
};

}  // namespace

static constexpr std::string_view kGoneWith116 =
    "Kubernetes has not served it since 1.16, and refuses it ('no matches for kind')";
static constexpr std::string_view kSelector = ", which needs a spec.selector";

/// Sources: facts on kinds and API versions; the changelogs of Kubernetes and Knative's operator.
static constexpr auto kOutdated = std::to_array<Outdated>({
    {"serving.kserve.io/v1alpha1", "InferenceService", Severity::error,
     "no release of KServe serves it, so it is refused ('no matches for kind')",
     "serving.kserve.io/v1beta1"},
    {"serving.kserve.io/v1alpha2", "InferenceService", Severity::error,
     "no release of KServe serves it, so it is refused ('no matches for kind')",
     "serving.kserve.io/v1beta1"},
    {"machinelearning.seldon.io/v1alpha1", "SeldonDeployment", Severity::warning,
     "Seldon Core 1 serves v1alpha2, v1alpha3 and v1 only, so it is refused ('no matches for "
     "kind')",
     "machinelearning.seldon.io/v1", ", whose fields differ"},
    {"machinelearning.seldon.io/v1alpha2", "SeldonDeployment", Severity::info,
     "it is served for old manifests only, and stored as v1", "machinelearning.seldon.io/v1",
     ": the fields are the same"},
    {"machinelearning.seldon.io/v1alpha3", "SeldonDeployment", Severity::info,
     "it is served for old manifests only, and stored as v1", "machinelearning.seldon.io/v1",
     ": the fields are the same"},
    {"operator.knative.dev/v1alpha1", "*", Severity::warning,
     "Knative's operator has not served it since 1.6, and it is refused ('no matches for kind')",
     "operator.knative.dev/v1beta1"},
    {"extensions/v1beta1", "*", Severity::error, kGoneWith116, "apps/v1", kSelector},
    {"apps/v1beta1", "*", Severity::error, kGoneWith116, "apps/v1", kSelector},
    {"apps/v1beta2", "*", Severity::error, kGoneWith116, "apps/v1"},
    {"batch/v2alpha1", "CronJob", Severity::warning,
     "Kubernetes has not served it since 1.21, and refuses it ('no matches for kind')", "batch/v1"},
    {"batch/v1beta1", "CronJob", Severity::warning,
     "Kubernetes has not served it since 1.25, and refuses it ('no matches for kind')", "batch/v1"},
});

static std::string_view version_in_kserve(std::string_view kind) {
  return kind == "InferenceService" ? "serving.kserve.io/v1beta1" : "serving.kserve.io/v1alpha1";
}

/// What an InferenceService of v1alpha2 has otherwise.
static std::string moved_fields(const k8s::Object& object) {
  if (object.kind != "InferenceService" || !object.spec()["default"].is_mapping()) return {};
  std::string moves = ", and move what stands below 'spec.default' up to 'spec'";
  if (object.spec()["canary"].is_mapping()) {
    moves += ", without 'spec.canary': a canary is the same object's next revision";
  }
  return moves;
}

/// Whether the objects of KFServing's group are reported.
static bool check_kfserving(const k8s::Object& object, Report& report) {
  if (object.group() != "serving.kubeflow.org") return false;
  auto finding =
      report.add(object["apiVersion"],
                 "'{}' is KFServing's: KServe reads nothing of it, so no pod is made of this {}",
                 object.api_version, object.kind.empty() ? "object" : object.kind);
  // Without it there may be a KFServing of old.
  if (report.facts().kserve) finding.severity(Severity::error);
  finding.help("write '{}'{}", version_in_kserve(object.kind), moved_fields(object));
  return true;
}

static void check_version(const k8s::Object& object, Report& report) {
  const auto* row = std::ranges::find_if(kOutdated, [&](const Outdated& outdated) {
    return outdated.api_version == object.api_version &&
           (outdated.kind == "*" || outdated.kind == object.kind);
  });
  if (row == kOutdated.end()) return;
  report
      .add(object["apiVersion"], "{} in '{}' is outdated: {}", object.kind, object.api_version,
           row->consequence)
      .severity(row->severity)
      .help("write '{}'{}{}", row->current, row->also, moved_fields(object));
}

/// Names that a newer release still takes, beside new ones.
static void check_renamed(const k8s::Object& object, const Version& kserve, Report& report) {
  constexpr Version kNewNames{0, 17, 0};
  if (object.group() != "serving.kserve.io" || kserve < kNewNames) return;
  if (object.kind.starts_with("LLMInferenceService") &&
      object.api_version == "serving.kserve.io/v1alpha1") {
    report
        .add(object["apiVersion"], "KServe {} stores an {} in v1alpha2, and converts this one",
             to_string(kserve), object.kind)
        .severity(Severity::info)
        .help("write 'serving.kserve.io/v1alpha2', unless it uses 'model.criticality'");
  }
  const Node& mode = object.annotations()[kserve::kDeploymentModeAnnotation];
  const bool raw = mode.scalar() == "RawDeployment";
  if (object.kind != "InferenceService" || (!raw && mode.scalar() != "Serverless")) return;
  const std::string_view current = raw ? "Standard" : "Knative";
  report
      .add(mode, "'{}' is an old name: KServe {} rewrites it to '{}' in the cluster", mode.text,
           to_string(kserve), current)
      .severity(Severity::info)
      .help("write '{}'", current);
}

static void check(const k8s::Object& object, Report& report) {
  if (check_kfserving(object, report)) return;
  check_version(object, report);
  if (const auto kserve = report.facts().kserve) check_renamed(object, *kserve, report);
}

}  // namespace cnsched::rules
