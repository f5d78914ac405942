#include "core/kserve/deployment_mode.h"

#include <algorithm>

#include "core/base/suggest.h"
#include "core/base/text.h"
#include "core/k8s/label.h"
#include "core/k8s/scope.h"
#include "core/kserve/fields.h"
#include "core/yaml/parse.h"
#include "core/yaml/tree.h"
#include "rules/common/mode_note.h"
#include "rules/findings.h"
#include "rules/rule.h"

namespace cnsched::rules::deployment_mode {

using yaml::Node;

static bool has_readable_annotation(const k8s::Object& object) {
  return object.is("serving.kserve.io", "InferenceService") ||
         object.is("serving.kserve.io", "InferenceGraph");
}

static std::vector<std::string_view> names_of_modes() {
  std::vector<std::string_view> names;
  for (const kserve::ModeName& name : kserve::mode_names()) names.push_back(name.name);
  return names;
}

/// The fix is unsafe: most changes of the mode require that the object is deleted and created
/// again.
static void write_mode(const Node& value, std::string_view mode, Findings& findings,
                       Findings::Finding& finding) {
  finding.fix(Safety::unsafe, fmt::format("write '{}'", mode),
              {yaml::to_set(value, findings.make_string(mode))});
}

/// Adds the help. Returns the known mode that the author probably intended, or nothing.
static std::optional<std::string_view> add_help(std::string_view value,
                                                Findings::Finding& finding) {
  const auto like = nearest(value, names_of_modes());
  if (like) {
    finding.help("write '{}': the value is case-sensitive", *like);
  } else {
    finding.help(
        "write 'RawDeployment' ('Standard' from KServe 0.16 on), or 'Serverless' ('Knative')");
  }
  return like;
}

/// The reconciler of Standard reads the annotation again, and fails on an unknown value.
static void report_unknown_mode(const Node& value, bool service, Findings& findings) {
  const kserve::DefaultMode& otherwise = findings.facts().default_mode;
  const bool fails = service && otherwise.mode == kserve::DeploymentMode::standard;
  auto finding = findings.add(value, "unknown deployment mode '{}': KServe {}", value.text(),
                              fails ? "fails with 'unsupported deployment mode for workload'"
                                    : "silently uses the cluster's default");
  if (fails) finding.note(*otherwise.node->key(), "the default is set here");
  if (const auto like = add_help(value.text(), finding))
    write_mode(value, *like, findings, finding);
}

/// The status is empty until KServe has reconciled the object, and 0.19 reads that as Standard.
static void check_first_update(const Node& value, const kserve::ModeName& mode,
                               const Version& version, Findings& findings) {
  constexpr Version kFrom{0, 19, 0};
  constexpr Version kTo{0, 20, 0};
  if (mode.mode != kserve::DeploymentMode::knative || version < kFrom || version >= kTo) return;
  findings
      .add(value, "KServe {} may reject the first update of an object with the mode '{}'",
           to_string(version), value.text())
      .severity(Severity::info)
      .help("upgrade KServe to 0.20, or wait for status.deploymentMode before an update");
}

static void check_value(const Node& value, bool service, Findings& findings) {
  // KServe treats an empty annotation, which a template may leave, as absent.
  if (value.text().empty() || k8s::is_placeholder(value.text())) return;
  const kserve::ModeName* mode = kserve::find_mode_name(value.text());
  if (mode == nullptr) return report_unknown_mode(value, service, findings);
  const auto version = findings.facts().releases().kserve;
  if (!version) return;
  constexpr Version kRenamed{0, 16, 0};
  constexpr Version kMapped{0, 17, 0};
  const bool raw = mode->mode == kserve::DeploymentMode::standard;
  if (*version < mode->since) {
    auto finding = findings.add(
        value,
        "unknown deployment mode '{}' in KServe {}: KServe silently uses the cluster's default",
        value.text(), to_string(*version));
    finding.help("write '{}'", raw ? "RawDeployment" : "Serverless");
    write_mode(value, raw ? "RawDeployment" : "Serverless", findings, finding);
  } else if (mode->since < kRenamed && mode->mode != kserve::DeploymentMode::model_mesh &&
             *version >= kRenamed && *version < kMapped) {
    auto finding = findings.add(value,
                                "KServe {} records '{}' under its new name in the status, and then "
                                "rejects every update of the object",
                                to_string(*version), value.text());
    finding.help("write '{}'", raw ? "Standard" : "Knative");
    write_mode(value, raw ? "Standard" : "Knative", findings, finding);
  } else {
    check_first_update(value, *mode, *version, findings);
  }
}

/// The position of the setting in the JSON; the key of the JSON text if the setting is missing.
static Span place_of_default(const Node& deploy, const Findings& findings) {
  constexpr std::string_view kSetting = "\"defaultDeploymentMode\"";
  const std::size_t at = findings.scope().file_of(deploy.span).text(deploy.span).find(kSetting);
  if (at == std::string_view::npos) return deploy.key()->span;
  Span place = deploy.span;
  place.begin += static_cast<std::uint32_t>(at);
  place.end = place.begin + static_cast<std::uint32_t>(kSetting.size());
  return place;
}

/// The cluster-wide default. A ConfigMap without the key `deploy` is fine.
static void check_config(const k8s::Object& object, Findings& findings) {
  const Node& deploy = object["data"]["deploy"];
  if (!deploy.is_string() || deploy.text().find("{{") != std::string_view::npos) return;
  const yaml::Embedded json(deploy.text());
  if (!json.root().is_mapping()) return;
  const std::string_view mode = json.root()["defaultDeploymentMode"].text();
  if (k8s::is_placeholder(mode)) return;
  const Span place = place_of_default(deploy, findings);
  if (mode.empty()) {
    findings
        .add_at(place,
                "missing 'defaultDeploymentMode': KServe reconciles nothing ('invalid deploy "
                "config, defaultDeploymentMode is required')")
        .help(
            "add \"defaultDeploymentMode\": \"RawDeployment\" (\"Standard\" from KServe 0.16 on), "
            "or "
            "\"Serverless\" (\"Knative\")");
    return;
  }
  const kserve::ModeName* known = kserve::find_mode_name(mode);
  const auto version = findings.facts().releases().kserve;
  if (known != nullptr && is_at_least(version, known->since)) return;
  auto finding =
      findings.add_at(place, "unknown default deployment mode '{}': KServe {}reconciles nothing",
                      mode, version ? to_string(*version) + " " : "");
  if (known == nullptr) {
    add_help(mode, finding);
  } else {
    finding.help("write '{}'",
                 known->mode == kserve::DeploymentMode::standard ? "RawDeployment" : "Serverless");
  }
}

constexpr std::string_view kMove =
    "move the annotation to metadata.annotations of the InferenceService";

/// Moves the annotation to where KServe reads it, unless that place is taken. A mapping
/// `annotations` that would become empty is moved as a whole.
static void move_to_metadata(const Node& value, const k8s::Object& object,
                             Findings::Finding& finding) {
  const bool all = value.parent()->key() != nullptr &&
                   value.parent()->key()->text() == "annotations" &&
                   value.parent()->entries().size() == 1;
  const Node& moved = all ? *value.parent() : value;
  const std::string pointer =
      all ? std::string("/metadata/annotations")
          : "/metadata/annotations/" + yaml::pointer_step(kserve::kDeploymentModeAnnotation);
  if (!yaml::has_room_for(moved, *object.root, pointer)) return;
  finding.fix(Safety::unsafe, std::string(kMove), {yaml::to_move(moved, *object.root, pointer)});
}

/// Reports the annotation at a place where KServe does not read it.
static void check_place(const Node& annotations, std::string_view place, const k8s::Object& object,
                        Findings& findings) {
  const Node& value = annotations.under(kserve::kDeploymentModeAnnotation);
  if (!value) return;
  auto finding = findings.add_at_key(value, "KServe does not read the deployment mode {}", place);
  finding.severity(Severity::warning).help("{}", kMove);
  move_to_metadata(value, object, finding);
}

static void check_llm(const k8s::Object& object, Findings& findings) {
  const Node& value = object.annotations().under(kserve::kDeploymentModeAnnotation);
  if (!value) return;
  constexpr const char* kHelp = "remove the annotation: an LLMInferenceService never uses Knative";
  findings.add_at_key(value, "KServe does not read the deployment mode of an LLMInferenceService")
      .severity(Severity::warning)
      .help("{}", kHelp)
      .fix(Safety::unsafe, kHelp, {to_erase_annotation(value)});
}

/// Whether every InferenceService that the runtime may serve sets its mode itself, so that the
/// runtime's annotation does not matter.
static bool is_set_by_services(const k8s::Object& runtime, Findings& findings) {
  constexpr std::size_t kMaxPods = 2000;  // each runtime is compared with all services
  if (findings.scope().workloads().size() > kMaxPods) return false;
  const bool is_for_all = runtime.kind == "ClusterServingRuntime";
  const auto services = findings.scope().index().all(
      "serving.kserve.io", "InferenceService",
      is_for_all ? std::nullopt : k8s::Objects::Of(runtime.ns), runtime, kMaxPods);
  return !services.empty() && std::ranges::all_of(services, [](const k8s::Object* service) {
    return bool(service->annotations().under(kserve::kDeploymentModeAnnotation));
  });
}

static void check_runtime(const k8s::Object& object, Findings& findings) {
  for (const Node* annotations : {&object.annotations(), &object.spec()["annotations"]}) {
    const Node& value = annotations->under(kserve::kDeploymentModeAnnotation);
    if (!value) continue;
    const bool is_unused =
        object.kind.ends_with("ServingRuntime") && is_set_by_services(object, findings);
    auto finding = findings.add_at_key(value, "KServe does not read the deployment mode from a {}",
                                       object.kind);
    constexpr std::string_view kRemove =
        "remove the annotation: each InferenceService sets the mode itself";
    finding.severity(is_unused ? Severity::info : Severity::warning);
    finding.help("{}", is_unused ? kRemove : kMove);
    if (!is_unused) continue;
    finding.fix(Safety::unsafe, std::string(kRemove), {to_erase_annotation(value)});
  }
}

/// Reports similar keys that KServe does not read: in another case, with a hyphen, or KFServing's.
static void check_similar_keys(const Node& annotations, Findings& findings) {
  constexpr std::size_t kMaxKeys = 1000;
  const auto entries = yaml::entries_of(annotations);
  for (const yaml::Entry& entry : std::span(entries).first(std::min(entries.size(), kMaxKeys))) {
    const std::string key = lower(entry.key->text());
    const bool is_similar = key == "serving.kserve.io/deploymentmode" ||
                            key == "serving.kserve.io/deployment-mode" ||
                            key == "serving.kubeflow.org/deploymentmode";
    if (!is_similar || entry.key->text() == kserve::kDeploymentModeAnnotation) continue;
    const std::string advice = fmt::format("write '{}'", kserve::kDeploymentModeAnnotation);
    findings
        .add(*entry.key, "KServe does not read '{}': the key is '{}'", entry.key->text(),
             kserve::kDeploymentModeAnnotation)
        .severity(Severity::warning)
        .help("{}", advice)
        .fix(Safety::unsafe, advice,
             {yaml::to_rename(*entry.value, kserve::kDeploymentModeAnnotation)});
  }
}

static void check(const k8s::Object& object, Findings& findings) {
  const Node& value = object.annotations().under(kserve::kDeploymentModeAnnotation);
  if (object.is("", "ConfigMap") && object.name == "inferenceservice-config") {
    return check_config(object, findings);
  }
  // KServe copies the annotation to the Deployments and pods that it creates.
  if (!k8s::is_serving_group(object.group())) return;
  if (object.group() == "serving.kubeflow.org") return;  // deprecated-api reports it
  if (!has_readable_annotation(object)) {
    if (object.kind == "LLMInferenceService") {
      check_llm(object, findings);
    } else {
      check_runtime(object, findings);
    }
    return;
  }
  if (value.is_scalar()) check_value(value, object.kind == "InferenceService", findings);
  if (!value) check_similar_keys(object.annotations(), findings);
  check_place(object.labels(), "from labels", object, findings);
  check_place(object.spec()["annotations"], "from spec.annotations", object, findings);
  for (const std::string_view component : {"predictor", "transformer", "explainer"}) {
    check_place(object.spec().under(component)["annotations"], "from a component's annotations",
                object, findings);
    for (const yaml::Entry& entry : yaml::entries_of(object.spec().under(component))) {
      check_place((*entry.value)["annotations"],
                  fmt::format("from {}.{}.annotations", component, entry.key->text()), object,
                  findings);
    }
  }
}

extern constinit const Rule rule = {
    .id = "deployment-mode",
    .severity = Severity::error,
    .depends_on_workspace = true,
    .fix = Safety::unsafe,
    .check = check,
};

}  // namespace cnsched::rules::deployment_mode
