#include "rules/yaml/shape_rules.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/kserve/deployment_mode.h"

namespace cnsched::rules::deprecated_api {

using yaml::Node;

namespace {

/// A version of a kind that is no longer served, or served only for old manifests.
struct Outdated {
  std::string_view api_version;
  std::string_view kind;  ///< "*": any
  Severity severity;
  std::string_view consequence;
  std::string_view current;
};

}  // namespace

static constexpr std::string_view kRemovedIn116 =
    "Kubernetes 1.16 and later reject it ('no matches for kind')";
/// For versions that no release had.
static constexpr std::string_view kNeverServed =
    "the API server rejects it ('no matches for kind')";

/// Versions and what replaces them [K5, K56, S51, P59, N18]. Sources: the changelogs of Kubernetes
/// and Knative's operator.
static constexpr auto kOutdated = std::to_array<Outdated>({
    {"serving.kserve.io/v1alpha1", "InferenceService", Severity::error, kNeverServed,
     "serving.kserve.io/v1beta1"},
    {"serving.kserve.io/v1alpha2", "InferenceService", Severity::error, kNeverServed,
     "serving.kserve.io/v1beta1"},
    {"machinelearning.seldon.io/v1alpha1", "SeldonDeployment", Severity::error,
     "Seldon Core 1 serves only v1alpha2, v1alpha3 and v1, and the API server rejects others ('no "
     "matches for kind')",
     "machinelearning.seldon.io/v1"},
    {"machinelearning.seldon.io/v1alpha2", "SeldonDeployment", Severity::info,
     "the API server serves it for old manifests only, and stores it as v1",
     "machinelearning.seldon.io/v1"},
    {"machinelearning.seldon.io/v1alpha3", "SeldonDeployment", Severity::info,
     "the API server serves it for old manifests only, and stores it as v1",
     "machinelearning.seldon.io/v1"},
    {"operator.knative.dev/v1alpha1", "*", Severity::warning,
     "with Knative's operator 1.6 and later the API server rejects it ('no matches for kind')",
     "operator.knative.dev/v1beta1"},
    {"extensions/v1beta1", "*", Severity::error, kRemovedIn116, "apps/v1"},
    {"apps/v1beta1", "*", Severity::error, kRemovedIn116, "apps/v1"},
    {"apps/v1beta2", "*", Severity::error, kRemovedIn116, "apps/v1"},
    {"batch/v2alpha1", "CronJob", Severity::warning,
     "Kubernetes 1.21 and later reject it ('no matches for kind')", "batch/v1"},
    {"batch/v1beta1", "CronJob", Severity::warning,
     "Kubernetes 1.25 and later reject it ('no matches for kind')", "batch/v1"},
});

static std::string_view version_in_kserve(std::string_view kind) {
  const bool service = kind == "InferenceService" || kind == "KFService";
  return service ? "serving.kserve.io/v1beta1" : "serving.kserve.io/v1alpha1";
}

namespace {

/// A field of a v1alpha2 component and its replacement in v1beta1.
struct OldField {
  bool (*is_in)(const Node& component);
  std::string_view step;
};

}  // namespace

static constexpr auto kOldFields = std::to_array<OldField>({
    {[](const Node& c) { return c["custom"]["container"].is_mapping(); },
     "turn 'custom.container' into an item of 'containers'"},
    {[](const Node& c) { return bool(c["parallelism"]); },
     "rename 'parallelism' to 'containerConcurrency'"},
    {[](const Node& c) { return c["alibi"] || c["aix"]; },
     "replace the explainer, which KServe no longer has, with 'containers'"},
});

/// The other changes from a v1alpha2 InferenceService to v1beta1.
static std::vector<std::string> changes_of_service(const k8s::Object& object) {
  const Node& components = object.spec()["default"];
  if (!components.is_mapping()) return {};
  std::vector<std::string> steps = {"move the fields of 'spec.default' to 'spec'"};
  if (components["serviceAccountName"]) {
    steps.emplace_back("move 'serviceAccountName' into 'predictor'");
  }
  for (const auto& [is_in, step] : kOldFields) {
    const auto changed = [&](const yaml::Entry& entry) { return is_in(*entry.value); };
    if (std::ranges::any_of(components.entries(), changed)) steps.emplace_back(step);
  }
  if (object.spec()["canary"].is_mapping()) {
    steps.emplace_back("remove 'spec.canary' (a canary is the same object's next revision)");
  }
  return steps;
}

/// The other changes that the current version of the object needs.
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
  if (needs_selector && !spec["selector"]) return {"add the required 'spec.selector'"};
  return {};
}

/// "write 'X'", then the other changes.
static std::string advice(const k8s::Object& object, std::string_view current) {
  std::vector<std::string> steps = changes_of(object);
  steps.insert(steps.begin(), fmt::format("write '{}'", current));
  return join_words(steps);
}

/// Reports an object of KFServing; false if it is not one.
static bool check_kfserving(const k8s::Object& object, Findings& findings) {
  if (object.group() != "serving.kubeflow.org") return false;
  auto finding = findings.add(
      object["apiVersion"],
      "'{}' is an API of KFServing, the predecessor of KServe: KServe ignores this {}{}",
      object.api_version, object.kind.empty() ? "object" : object.kind,
      object.kind != "InferenceService"    ? ""
      : findings.facts().releases().kserve ? ", and it gets no pod"
                                           : ", and it gets no pod unless KFServing still runs");
  // Without KServe, KFServing may still run.
  if (findings.facts().releases().kserve) finding.severity(Severity::error);
  finding.help("{}", advice(object, version_in_kserve(object.kind)));
  return true;
}

/// Whether the known release no longer serves the version.
static bool is_removed(const Outdated& row, const facts::ClusterFacts& facts) {
  constexpr Version kOperator{1, 6, 0};
  return row.api_version == "operator.knative.dev/v1alpha1" && facts.knative &&
         *facts.knative >= kOperator;
}

static const Outdated* find_outdated(const k8s::Object& object) {
  const auto* row = std::ranges::find_if(kOutdated, [&](const Outdated& outdated) {
    return outdated.api_version == object.api_version &&
           (outdated.kind == "*" || outdated.kind == object.kind);
  });
  return row == kOutdated.end() ? nullptr : row;
}

bool is_of_outdated_api(const k8s::Object& object) {
  return object.group() == "serving.kubeflow.org" || find_outdated(object) != nullptr;
}

static void check_version(const k8s::Object& object, Findings& findings) {
  const Outdated* row = find_outdated(object);
  if (row == nullptr) return;
  const bool never = row->consequence == kNeverServed;
  findings
      .add(object["apiVersion"], "{}{} in '{}'{}: {}", never ? "no release of KServe has " : "",
           object.kind, object.api_version, never ? "" : " is outdated", row->consequence)
      .severity(is_removed(*row, findings.facts()) ? Severity::error : row->severity)
      .help("{}", advice(object, row->current));
}

/// Old names that newer releases still accept.
static void check_renamed(const k8s::Object& object, const Version& kserve, Findings& findings) {
  constexpr Version kNewNames{0, 17, 0};
  if (object.group() != "serving.kserve.io" || kserve < kNewNames) return;
  if (object.kind.starts_with("LLMInferenceService") &&
      object.api_version == "serving.kserve.io/v1alpha1") {
    findings
        .add(object["apiVersion"], "'{}' is outdated: KServe {} converts it to v1alpha2",
             object.api_version, to_string(kserve))
        .severity(Severity::info)
        .help("write 'serving.kserve.io/v1alpha2', unless the object uses 'model.criticality'");
  }
  const Node& mode = object.annotations().under(kserve::kDeploymentModeAnnotation);
  const bool raw = mode.text() == "RawDeployment";
  if (object.kind != "InferenceService" || (!raw && mode.text() != "Serverless")) return;
  const std::string_view current = raw ? "Standard" : "Knative";
  findings
      .add(mode, "'{}' is outdated: KServe {} rewrites it to '{}'", mode.text(), to_string(kserve),
           current)
      .severity(Severity::info)
      .help("write '{}'", current);
}

static void check(const k8s::Object& object, Findings& findings) {
  if (check_kfserving(object, findings)) return;
  check_version(object, findings);
  if (const auto kserve = findings.facts().releases().kserve)
    check_renamed(object, *kserve, findings);
}

extern constinit const Rule rule = {
    .id = "deprecated-api",
    .severity = Severity::warning,
    .decided_by_subject = true,
    .check = check,
};

}  // namespace cnsched::rules::deprecated_api
