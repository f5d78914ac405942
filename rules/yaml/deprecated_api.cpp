#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/kserve/deployment_mode.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const k8s::Object& object, Report& report);

extern constinit const Rule yaml_deprecated_api = {
    .id = "deprecated-api",
    .severity = Severity::warning,
    .summary = "an API version or mode name that is outdated, or never existed",
    .why =
        "An object in a version that the cluster does not serve is refused ('no matches for "
        "kind'). KServe was called KFServing, and its group serving.kubeflow.org, which no "
        "release of KServe reads: where the old CRDs are still installed the object is "
        "stored, and gets no pod unless KFServing still runs.\n\n"
        "An error where it is certain to be refused: no release of KServe has "
        "InferenceService in serving.kserve.io/v1alpha2, the CRD of SeldonDeployment in "
        "v1alpha1 cannot be installed since Kubernetes 1.22, and extensions/v1beta1 left "
        "Kubernetes with 1.16. A warning where it depends on the release installed, as for "
        "KnativeServing in operator.knative.dev/v1alpha1, which Knative's operator serves up "
        "to 1.5.\n\n"
        "Info where the old name still works: SeldonDeployment in v1alpha2 or v1alpha3, and, "
        "if the release of KServe is known to have the new names, LLMInferenceService in "
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
};

}  // namespace

static constexpr std::string_view kGoneWith116 =
    "from 1.16 on Kubernetes refuses it ('no matches for kind')";
/// For versions that no release ever had.
static constexpr std::string_view kNeverServed =
    "the API server refuses it ('no matches for kind')";

/// Sources: facts on kinds and API versions; the changelogs of Kubernetes and Knative's operator.
static constexpr auto kOutdated = std::to_array<Outdated>({
    {"serving.kserve.io/v1alpha1", "InferenceService", Severity::error, kNeverServed,
     "serving.kserve.io/v1beta1"},
    {"serving.kserve.io/v1alpha2", "InferenceService", Severity::error, kNeverServed,
     "serving.kserve.io/v1beta1"},
    {"machinelearning.seldon.io/v1alpha1", "SeldonDeployment", Severity::error,
     "Seldon Core 1 serves v1alpha2, v1alpha3 and v1 only, and others are refused ('no matches "
     "for kind')",
     "machinelearning.seldon.io/v1"},
    {"machinelearning.seldon.io/v1alpha2", "SeldonDeployment", Severity::info,
     "it is served for old manifests only, and stored as v1", "machinelearning.seldon.io/v1"},
    {"machinelearning.seldon.io/v1alpha3", "SeldonDeployment", Severity::info,
     "it is served for old manifests only, and stored as v1", "machinelearning.seldon.io/v1"},
    {"operator.knative.dev/v1alpha1", "*", Severity::warning,
     "with Knative's operator from 1.6 on it is refused ('no matches for kind')",
     "operator.knative.dev/v1beta1"},
    {"extensions/v1beta1", "*", Severity::error, kGoneWith116, "apps/v1"},
    {"apps/v1beta1", "*", Severity::error, kGoneWith116, "apps/v1"},
    {"apps/v1beta2", "*", Severity::error, kGoneWith116, "apps/v1"},
    {"batch/v2alpha1", "CronJob", Severity::warning,
     "from 1.21 on Kubernetes refuses it ('no matches for kind')", "batch/v1"},
    {"batch/v1beta1", "CronJob", Severity::warning,
     "from 1.25 on Kubernetes refuses it ('no matches for kind')", "batch/v1"},
});

static std::string_view version_in_kserve(std::string_view kind) {
  const bool service = kind == "InferenceService" || kind == "KFService";
  return service ? "serving.kserve.io/v1beta1" : "serving.kserve.io/v1alpha1";
}

namespace {

/// A field of a component of v1alpha2, and what becomes of it in v1beta1.
struct Changed {
  bool (*is_in)(const Node& component);
  std::string_view step;
};

}  // namespace

static constexpr auto kChanged = std::to_array<Changed>({
    {[](const Node& c) { return c["custom"]["container"].is_mapping(); },
     "turn 'custom.container' into an item of 'containers'"},
    {[](const Node& c) { return bool(c["parallelism"]); },
     "rename 'parallelism' to 'containerConcurrency'"},
    {[](const Node& c) { return c["alibi"] || c["aix"]; },
     "replace the explainer, which KServe no longer has, by 'containers'"},
});

/// What an InferenceService of v1alpha2 has otherwise.
static std::vector<std::string> changes_of_service(const k8s::Object& object) {
  const Node& components = object.spec()["default"];
  if (!components.is_mapping()) return {};
  std::vector<std::string> steps = {"move what is under 'spec.default' up to 'spec'"};
  if (components["serviceAccountName"]) {
    steps.emplace_back("move 'serviceAccountName' into 'predictor'");
  }
  for (const auto& [is_in, step] : kChanged) {
    const auto changed = [&](const yaml::Entry& entry) { return is_in(*entry.value); };
    if (std::ranges::any_of(components.entries(), changed)) steps.emplace_back(step);
  }
  if (object.spec()["canary"].is_mapping()) {
    steps.emplace_back("remove 'spec.canary' (a canary is the same object's next revision)");
  }
  return steps;
}

/// What else an object has otherwise in its current version.
static std::vector<std::string> changes_of(const k8s::Object& object) {
  const Node& spec = object.spec();
  if (object.kind == "InferenceService") return changes_of_service(object);
  if (object.kind == "KFService") return {"'kind: InferenceService'"};
  const auto is_single = [](const Node* predictor) { return bool((*predictor)["componentSpec"]); };
  if (object.kind == "SeldonDeployment" &&
      std::ranges::any_of(spec["predictors"].items(), is_single)) {
    return {"turn 'componentSpec' into an item of 'componentSpecs'"};
  }
  const bool needs_selector =
      object.group() == "extensions" || object.api_version == "apps/v1beta1";
  if (needs_selector && !spec["selector"]) return {"add the spec.selector that it requires"};
  return {};
}

/// "write 'X'", and what else has to change.
static std::string advice(const k8s::Object& object, std::string_view current) {
  std::vector<std::string> steps = changes_of(object);
  steps.insert(steps.begin(), fmt::format("write '{}'", current));
  return join_words(steps);
}

/// Whether the objects of KFServing's group are reported.
static bool check_kfserving(const k8s::Object& object, Report& report) {
  if (object.group() != "serving.kubeflow.org") return false;
  auto finding =
      report.add(object["apiVersion"],
                 "'{}' belongs to KFServing, KServe's predecessor: KServe ignores this {}{}",
                 object.api_version, object.kind.empty() ? "object" : object.kind,
                 object.kind != "InferenceService" ? ""
                 : report.facts().kserve           ? ", and it gets no pod"
                                         : ", and it gets no pod unless KFServing still runs");
  // Without it there may be a KFServing of old.
  if (report.facts().kserve) finding.severity(Severity::error);
  finding.help("{}", advice(object, version_in_kserve(object.kind)));
  return true;
}

/// Whether what depends on a release is certain for the release at hand.
static bool is_gone(const Outdated& row, const ClusterFacts& facts) {
  constexpr Version kOperator{1, 6, 0};
  return row.api_version == "operator.knative.dev/v1alpha1" && facts.knative &&
         *facts.knative >= kOperator;
}

static void check_version(const k8s::Object& object, Report& report) {
  const auto* row = std::ranges::find_if(kOutdated, [&](const Outdated& outdated) {
    return outdated.api_version == object.api_version &&
           (outdated.kind == "*" || outdated.kind == object.kind);
  });
  if (row == kOutdated.end()) return;
  const bool never = row->consequence == kNeverServed;
  report
      .add(object["apiVersion"], "{}{} in '{}'{}: {}", never ? "no release of KServe has " : "",
           object.kind, object.api_version, never ? "" : " is outdated", row->consequence)
      .severity(is_gone(*row, report.facts()) ? Severity::error : row->severity)
      .help("{}", advice(object, row->current));
}

/// Names that a newer release still takes, beside new ones.
static void check_renamed(const k8s::Object& object, const Version& kserve, Report& report) {
  constexpr Version kNewNames{0, 17, 0};
  if (object.group() != "serving.kserve.io" || kserve < kNewNames) return;
  if (object.kind.starts_with("LLMInferenceService") &&
      object.api_version == "serving.kserve.io/v1alpha1") {
    report
        .add(object["apiVersion"], "'{}' is an old version: KServe {} converts it to v1alpha2",
             object.api_version, to_string(kserve))
        .severity(Severity::info)
        .help("write 'serving.kserve.io/v1alpha2', unless it uses 'model.criticality'");
  }
  const Node& mode = object.annotations()[kserve::kDeploymentModeAnnotation];
  const bool raw = mode.text() == "RawDeployment";
  if (object.kind != "InferenceService" || (!raw && mode.text() != "Serverless")) return;
  const std::string_view current = raw ? "Standard" : "Knative";
  report
      .add(mode, "'{}' is an old name: KServe {} rewrites it to '{}'", mode.text(),
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
