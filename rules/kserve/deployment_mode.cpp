#include "core/kserve/deployment_mode.h"

#include <algorithm>

#include "core/base/suggest.h"
#include "core/base/text.h"
#include "core/k8s/label.h"
#include "core/k8s/scope.h"
#include "core/kserve/fields.h"
#include "core/yaml/embedded.h"
#include "core/yaml/tree.h"
#include "rules/kserve/annotation_fix.h"
#include "rules/kserve/mode_note.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const k8s::Object& object, Report& report);

extern constinit const Rule kserve_deployment_mode = {
    .id = "deployment-mode",
    .severity = Severity::error,
    .depends_on_run = true,
    .summary = "an unknown deployment mode, or one set where KServe does not read it",
    .why =
        "A mode that KServe does not know is not refused: the InferenceService runs in the "
        "cluster's default mode, serverless (Knative) unless it was changed, where node "
        "selectors and tolerations need Knative's feature flags. KServe compares the annotation "
        "serving.kserve.io/deploymentMode exactly, and only in the metadata of an "
        "InferenceService or InferenceGraph; a warning where the annotation is on another kind, "
        "or under spec. Where Standard is known to be the default, an unknown value fails: "
        "'unsupported deployment mode for workload'.\n\n"
        "Releases up to 0.15 know Serverless, RawDeployment and ModelMesh. 0.16 adds Knative and "
        "Standard for the first two, and then refuses every later update of an object with an "
        "old name (fixed in 0.17). 0.19 may refuse the first update of an InferenceService in "
        "mode Knative.\n\n"
        "The default itself is in the ConfigMap inferenceservice-config, as JSON: without "
        "defaultDeploymentMode, or with an unknown one, KServe reconciles nothing.",
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
    .fix = Safety::unsafe,
};

using yaml::Node;

static bool reads_the_annotation(const k8s::Object& object) {
  return is_read_by_kserve(object) &&
         (object.kind == "InferenceService" || object.kind == "InferenceGraph");
}

static std::vector<std::string_view> names_of_modes() {
  std::vector<std::string_view> names;
  for (const kserve::ModeName& name : kserve::mode_names()) names.push_back(name.name);
  return names;
}

/// Nearly every other mode than the one in force needs the object to be made anew, so somebody
/// should look.
static void write_mode(const Node& value, std::string_view mode, Report& report,
                       Report::Finding& finding) {
  finding.fix(Safety::unsafe, fmt::format("write '{}'", mode),
              {yaml::to_set(value, report.make_string(mode))});
}

/// The known mode that was probably meant, or nothing.
static std::optional<std::string_view> add_help(std::string_view value, Report::Finding& finding) {
  const auto like = nearest(value, names_of_modes());
  if (like) {
    finding.help("write '{}': the value is compared exactly", *like);
  } else {
    finding.help(
        "write 'RawDeployment' ('Standard' from KServe 0.16 on), or 'Serverless' ('Knative')");
  }
  return like;
}

/// The reconciler of Standard reads the annotation once more, and knows only what it may be.
static void report_unknown_mode(const Node& value, bool service, Report& report) {
  const kserve::DefaultMode& otherwise = report.facts().default_mode;
  const bool fails = service && otherwise.mode == kserve::DeploymentMode::standard;
  auto finding = report.add(value, "KServe knows no deployment mode '{}', and {}", value.text(),
                            fails ? "fails: 'unsupported deployment mode for workload'"
                                  : "silently uses the cluster's default");
  if (fails) finding.note(*otherwise.said->key(), "the default is set here");
  if (const auto like = add_help(value.text(), finding)) write_mode(value, *like, report, finding);
}

/// The status is empty until KServe has seen the object, and 0.19 takes that for Standard.
static void check_first_update(const Node& value, const kserve::ModeName& mode,
                               const Version& version, Report& report) {
  constexpr Version kFrom{0, 19, 0};
  constexpr Version kTo{0, 20, 0};
  if (mode.mode != kserve::DeploymentMode::knative || version < kFrom || version >= kTo) return;
  report
      .add(value, "KServe {} may refuse the first update of an object with the mode '{}'",
           to_string(version), value.text())
      .severity(Severity::info)
      .help("upgrade KServe to 0.20, or wait for status.deploymentMode before an update");
}

static void check_value(const Node& value, bool service, Report& report) {
  // What is left of a template that had no value reads as no annotation.
  if (value.text().empty() || k8s::is_placeholder(value.text())) return;
  const kserve::ModeName* mode = kserve::find_mode_name(value.text());
  if (mode == nullptr) return report_unknown_mode(value, service, report);
  const auto version = report.facts().kserve;
  if (!version) return;
  constexpr Version kRenamed{0, 16, 0};
  constexpr Version kMapped{0, 17, 0};
  const bool raw = mode->mode == kserve::DeploymentMode::standard;
  if (*version < mode->since) {
    auto finding = report.add(
        value, "KServe {} does not know the mode '{}' yet, and silently uses the cluster's default",
        to_string(*version), value.text());
    finding.help("write '{}'", raw ? "RawDeployment" : "Serverless");
    write_mode(value, raw ? "RawDeployment" : "Serverless", report, finding);
  } else if (mode->since < kRenamed && mode->mode != kserve::DeploymentMode::model_mesh &&
             *version >= kRenamed && *version < kMapped) {
    auto finding = report.add(value,
                              "KServe {} maps '{}' to a new name in its status, and then refuses "
                              "every update of the object",
                              to_string(*version), value.text());
    finding.help("write '{}'", raw ? "Standard" : "Knative");
    write_mode(value, raw ? "Standard" : "Knative", report, finding);
  } else {
    check_first_update(value, *mode, *version, report);
  }
}

/// Where the setting stands in the JSON; the key in front of the JSON, if it does not.
static Span place_of_default(const Node& deploy, const Report& report) {
  constexpr std::string_view kSetting = "\"defaultDeploymentMode\"";
  const std::size_t at = report.run().file_of(deploy.span).text(deploy.span).find(kSetting);
  if (at == std::string_view::npos) return deploy.key()->span;
  Span place = deploy.span;
  place.begin += static_cast<std::uint32_t>(at);
  place.end = place.begin + static_cast<std::uint32_t>(kSetting.size());
  return place;
}

/// The cluster-wide default. A ConfigMap without the key `deploy` is fine.
static void check_config(const k8s::Object& object, Report& report) {
  const Node& deploy = object["data"]["deploy"];
  if (!deploy.is_string() || deploy.text().find("{{") != std::string_view::npos) return;
  const yaml::Embedded json(deploy.text());
  if (!json.root().is_mapping()) return;
  const std::string_view mode = json.root()["defaultDeploymentMode"].text();
  if (k8s::is_placeholder(mode)) return;
  const Span place = place_of_default(deploy, report);
  if (mode.empty()) {
    report
        .add_at(place,
                "KServe fails on this: 'invalid deploy config, defaultDeploymentMode is "
                "required'")
        .help(
            "add \"defaultDeploymentMode\": \"RawDeployment\" (\"Standard\" from KServe 0.16 on), "
            "or "
            "\"Serverless\" (\"Knative\")");
    return;
  }
  const kserve::ModeName* known = kserve::find_mode_name(mode);
  const auto version = report.facts().kserve;
  if (known != nullptr && (!version || *version >= known->since)) return;
  auto finding = report.add_at(
      place,
      "KServe {}knows no deployment mode '{}', and reconciles nothing with it as the default",
      version ? to_string(*version) + " " : "", mode);
  if (known == nullptr) {
    add_help(mode, finding);
  } else {
    finding.help("write '{}'",
                 known->mode == kserve::DeploymentMode::standard ? "RawDeployment" : "Serverless");
  }
}

constexpr std::string_view kMoveIt =
    "put the annotation into metadata.annotations of the InferenceService";

/// To where KServe looks for it, unless something else is there. `annotations` that would be left
/// empty go as well.
static void move_to_metadata(const Node& value, const k8s::Object& object,
                             Report::Finding& finding) {
  const bool all = value.parent()->key() != nullptr &&
                   value.parent()->key()->text() == "annotations" &&
                   value.parent()->entries().size() == 1;
  const Node& moved = all ? *value.parent() : value;
  const std::string way =
      all ? std::string("/metadata/annotations")
          : "/metadata/annotations/" + yaml::pointer_step(kserve::kDeploymentModeAnnotation);
  if (!yaml::has_room_for(moved, *object.root, way)) return;
  finding.fix(Safety::unsafe, std::string(kMoveIt), {yaml::to_move(moved, *object.root, way)});
}

/// The annotation where KServe does not look for it.
static void check_place(const Node& annotations, std::string_view place, const k8s::Object& object,
                        Report& report) {
  const Node& value = annotations[kserve::kDeploymentModeAnnotation];
  if (!value) return;
  auto finding = report.add_at_key(value, "KServe does not read the deployment mode {}", place);
  finding.severity(Severity::warning).help("{}", kMoveIt);
  move_to_metadata(value, object, finding);
}

static void check_llm(const k8s::Object& object, Report& report) {
  const Node& value = object.annotations()[kserve::kDeploymentModeAnnotation];
  if (!value) return;
  constexpr const char* kHelp = "remove it: an LLMInferenceService never uses Knative";
  report.add_at_key(value, "KServe does not read the deployment mode of an LLMInferenceService")
      .severity(Severity::warning)
      .help("{}", kHelp)
      .fix(Safety::unsafe, kHelp, {to_erase_annotation(value)});
}

/// Whether every InferenceService that the runtime may serve says its mode itself, so that nothing
/// is lost by what KServe does not read.
static bool is_said_by_services(const k8s::Object& runtime, Report& report) {
  constexpr std::size_t kMostPods = 2000;  // each runtime asks for all services
  if (report.run().workloads().size() > kMostPods) return false;
  const auto services = report.run().index().all("serving.kserve.io", "InferenceService",
                                                 runtime.ns, runtime, kMostPods);
  return !services.empty() && std::ranges::all_of(services, [](const k8s::Object* service) {
    return bool(service->annotations()[kserve::kDeploymentModeAnnotation]);
  });
}

static void check_runtime(const k8s::Object& object, Report& report) {
  const bool is_idle =
      object.kind.ends_with("ServingRuntime") && is_said_by_services(object, report);
  for (const Node* annotations : {&object.annotations(), &object.spec()["annotations"]}) {
    const Node& value = (*annotations)[kserve::kDeploymentModeAnnotation];
    if (!value) continue;
    auto finding =
        report.add_at_key(value, "KServe does not read the deployment mode from a {}", object.kind);
    constexpr std::string_view kRemoveIt =
        "remove it: each InferenceService has the annotation itself";
    finding.severity(is_idle ? Severity::info : Severity::warning);
    finding.help("{}", is_idle ? kRemoveIt : kMoveIt);
    if (!is_idle) continue;
    finding.fix(Safety::unsafe, std::string(kRemoveIt), {to_erase_annotation(value)});
  }
}

/// Keys that KServe does not read, though they are meant for it: of another case, with a hyphen, or
/// KFServing's.
static void check_likes(const Node& annotations, Report& report) {
  constexpr std::size_t kMost = 1000;
  const auto entries = yaml::entries_of(annotations);
  for (const yaml::Entry& entry : std::span(entries).first(std::min(entries.size(), kMost))) {
    const std::string key = lower(entry.key->text());
    const bool is_like = key == "serving.kserve.io/deploymentmode" ||
                         key == "serving.kserve.io/deployment-mode" ||
                         key == "serving.kubeflow.org/deploymentmode";
    if (!is_like || entry.key->text() == kserve::kDeploymentModeAnnotation) continue;
    const std::string advice = fmt::format("write '{}'", kserve::kDeploymentModeAnnotation);
    report
        .add(*entry.key, "KServe does not read '{}': its key is '{}'", entry.key->text(),
             kserve::kDeploymentModeAnnotation)
        .severity(Severity::warning)
        .help("{}", advice)
        .fix(Safety::unsafe, advice,
             {yaml::to_rename(*entry.value, kserve::kDeploymentModeAnnotation)});
  }
}

static void check(const k8s::Object& object, Report& report) {
  const Node& value = object.annotations()[kserve::kDeploymentModeAnnotation];
  if (object.is("", "ConfigMap") && object.name == "inferenceservice-config") {
    return check_config(object, report);
  }
  // KServe copies the annotation to the Deployments and pods that it makes.
  if (!k8s::is_serving_group(object.group())) return;
  if (kserve::is_kserve_group(object.group()) && !is_read_by_kserve(object)) return;
  if (!reads_the_annotation(object)) {
    if (object.kind == "LLMInferenceService") {
      check_llm(object, report);
    } else {
      check_runtime(object, report);
    }
    return;
  }
  if (value.is_scalar()) check_value(value, object.kind == "InferenceService", report);
  if (!value) check_likes(object.annotations(), report);
  check_place(object.labels(), "from labels", object, report);
  check_place(object.spec()["annotations"], "from spec.annotations", object, report);
  for (const std::string_view component : {"predictor", "transformer", "explainer"}) {
    check_place(object.spec()[component]["annotations"], "from a component's annotations", object,
                report);
    for (const yaml::Entry& entry : yaml::entries_of(object.spec()[component])) {
      check_place((*entry.value)["annotations"],
                  fmt::format("from {}.{}.annotations", component, entry.key->text()), object,
                  report);
    }
  }
}

}  // namespace cnsched::rules
