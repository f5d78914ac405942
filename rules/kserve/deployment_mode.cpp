#include "core/kserve/deployment_mode.h"

#include "core/base/suggest.h"
#include "core/base/text.h"
#include "core/k8s/label.h"
#include "core/k8s/scope.h"
#include "core/kserve/fields.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const k8s::Object& object, Report& report);

extern constinit const Rule kserve_deployment_mode = {
    .id = "deployment-mode",
    .severity = Severity::error,
    .summary = "a deployment mode that KServe does not read, or not there",
    .why =
        "KServe compares the annotation serving.kserve.io/deploymentMode letter by letter, and "
        "only "
        "in the metadata of an InferenceService or InferenceGraph. What it does not know is not "
        "refused: the service runs in the cluster's default mode, serverless unless it was "
        "changed, where node selectors and tolerations need Knative's feature flags. Releases up "
        "to 0.15 know Serverless, RawDeployment and ModelMesh; 0.16 adds Knative and Standard for "
        "the first two, and then refuses every later update of an object with an old name. A "
        "warning where the annotation stands on another kind, or below the metadata.",
    .bad = R"(
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: example
  annotations:
    serving.kserve.io/deploymentMode: rawdeployment
spec:
  predictor:
    model:
      modelFormat: {name: onnx}
)",
    .good = R"(
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: example
  annotations:
    serving.kserve.io/deploymentMode: RawDeployment
spec:
  predictor:
    model:
      modelFormat: {name: onnx}
)",
    .source = "https://kserve.github.io/website/docs/concepts/architecture/control-plane",
    .check = check,
};

using yaml::Node;

static bool reads_the_annotation(const k8s::Object& object) {
  return kserve::is_kserve_group(object.group()) &&
         (object.kind == "InferenceService" || object.kind == "InferenceGraph");
}

static void check_value(const Node& value, Report& report) {
  if (k8s::is_placeholder(value.text)) return;
  const kserve::ModeName* mode = kserve::find_mode_name(value.text);
  if (mode == nullptr) {
    std::vector<std::string_view> names;
    for (const kserve::ModeName& name : kserve::mode_names()) names.push_back(name.name);
    auto finding = report.add(value,
                              "KServe knows no deployment mode '{}', and uses the cluster's "
                              "default in silence",
                              value.text);
    const auto like = nearest(value.text, names);
    if (like) {
      finding.help("did you mean {}? It is compared letter by letter", *like);
    } else {
      finding.help("use RawDeployment (Standard from 0.16 on) or Serverless (Knative)");
    }
    return;
  }
  const auto version = report.facts().kserve;
  if (!version) return;
  constexpr Version kRenamed{0, 16, 0};
  constexpr Version kMapped{0, 17, 0};
  const bool raw = mode->mode == kserve::DeploymentMode::standard;
  if (*version < mode->since) {
    report
        .add(value,
             "KServe {} does not know the mode '{}' yet, and uses the cluster's default in "
             "silence",
             to_string(*version), value.text)
        .help("write {}", raw ? "RawDeployment" : "Serverless");
  } else if (mode->since < kRenamed && mode->mode != kserve::DeploymentMode::model_mesh &&
             *version >= kRenamed && *version < kMapped) {
    report
        .add(value,
             "KServe {} maps '{}' to a new name in its status, and then refuses every update "
             "of the object",
             to_string(*version), value.text)
        .help("write {}", raw ? "Standard" : "Knative");
  }
}

constexpr std::string_view kMoveIt =
    "put the annotation into metadata.annotations of the InferenceService";

/// The annotation where KServe does not look for it.
static void check_place(const Node& annotations, std::string_view place, std::string_view help,
                        Report& report) {
  const Node& value = annotations[kserve::kDeploymentModeAnnotation];
  if (!value) return;
  report.add_at_key(value, "KServe does not read the deployment mode {}", place)
      .severity(Severity::warning)
      .help("{}", help);
}

static void check(const k8s::Object& object, Report& report) {
  const Node& value = object.annotations()[kserve::kDeploymentModeAnnotation];
  // KServe copies the annotation to the Deployments and pods that it makes.
  if (!k8s::is_serving_group(object.group())) return;
  if (!reads_the_annotation(object)) {
    if (object.kind == "LLMInferenceService") {
      check_place(object.annotations(), "of an LLMInferenceService",
                  "remove it: an LLMInferenceService never uses Knative", report);
    } else {
      check_place(object.annotations(), fmt::format("from a {}", object.kind), kMoveIt, report);
    }
    return;
  }
  if (value.is_scalar()) check_value(value, report);
  check_place(object.labels(), "from labels", kMoveIt, report);
  check_place(object.spec()["annotations"], "from spec.annotations", kMoveIt, report);
  for (const std::string_view component : {"predictor", "transformer", "explainer"}) {
    check_place(object.spec()[component]["annotations"], "from a component's annotations", kMoveIt,
                report);
  }
}

}  // namespace cnsched::rules
