// A pod that certainly runs on Knative has lost these fields already, so they are looked for in
// what it is merged from.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/k8s/pod_resources.h"
#include "core/kserve/knative_pod.h"
#include "core/yaml/scalar.h"
#include "rules/kserve/mode_note.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Workload& workload, Report& report);

extern constinit const Rule knative_knative_dropped_field = {
    .id = "knative-dropped-field",
    .severity = Severity::error,
    .depends_on_run = true,
    .summary = "a field that a Knative Service does not have and silently drops",
    .why =
        "The InferenceService looks right, but its pods run elsewhere, or without the device. In "
        "serverless (Knative) mode KServe writes the pod into a Knative Service, whose schema "
        "lacks nodeName, resourceClaims, resources.claims, preemptionPolicy, priority, "
        "schedulingGates, overhead and the resources of the pod as a whole. The API server "
        "silently drops what the schema lacks (Knative up to 1.5 refused it).\n\n"
        "A warning for fields that do not decide where the pod runs, such as "
        "terminationGracePeriodSeconds or lifecycle. A warning as well while the deployment mode "
        "is unknown, serverless being KServe's default; then only what decides about the node is "
        "reported.",
    .bad = R"(
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: example
  annotations:
    serving.kserve.io/deploymentMode: Serverless
spec:
  predictor:
    nodeName: gpu-7
    model:
      modelFormat: {name: onnx}
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
      kubernetes.io/hostname: gpu-7
    model:
      modelFormat: {name: onnx}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: config-features
  namespace: knative-serving
data:
  kubernetes.podspec-nodeselector: enabled
)",
    .source = "https://github.com/knative/serving/blob/main/config/core/300-resources/service.yaml",
    .check = check,
};

using kserve::DeploymentMode;
using yaml::Node;

namespace {

/// What becomes of a pod that lacks the field.
struct Loss {
  std::string_view field;
  std::string_view consequence;
  std::string_view instead = {};  ///< what Knative has for it
  std::string_view called = {};   ///< if not by its name alone
};

}  // namespace

constexpr auto kPlacement = std::to_array<Loss>({
    {"nodeName", "the pod runs on any node",
     "use nodeSelector, which Knative takes with the flag 'kubernetes.podspec-nodeselector'"},
    {"resourceClaims", "the pod gets no device"},
    {"claims", "the container gets no device", "", "'resources.claims' of a container"},
    {"preemptionPolicy", "the priority class alone decides what the pod preempts",
     "set it in a PriorityClass"},
    {"priority", "the pod keeps the default priority",
     "use priorityClassName, which Knative takes with the flag "
     "'kubernetes.podspec-priorityclassname'"},
    {"schedulingGates", "nothing holds the pod back"},
    {"overhead", "the scheduler does not count it"},
    {"resources", "only those of the containers count", "set the resources of the container",
     "pod-level 'resources'"},
});

constexpr auto kOthers = std::to_array<Loss>({
    {"terminationGracePeriodSeconds", "Knative uses the timeout of the component instead",
     "set 'timeout' of the component"},
    {"serviceAccount", "the pod runs under the default one", "use serviceAccountName"},
    {"lifecycle", "no hook is called"},
});

/// Fields whose loss changes nothing: Knative sets them itself, or never runs a pod otherwise.
static bool is_default(const Node& value) {
  constexpr auto kDefaults = std::to_array<std::pair<std::string_view, std::string_view>>(
      {{"restartPolicy", "Always"},
       {"preemptionPolicy", "PreemptLowerPriority"},
       {"hostUsers", "true"},
       {"terminationGracePeriodSeconds", "30"},
       {"priority", "0"}});
  constexpr auto kHarmless = std::to_array<std::string_view>(
      {"os", "resizePolicy", "ephemeralContainers", "tty", "stdin", "stdinOnce"});
  const std::string_view field = value.key()->text();
  if (value.is_empty() || (value.is_scalar() && value.text().empty())) return true;
  if (std::ranges::find(kHarmless, field) != kHarmless.end()) return true;
  if (value.is_scalar() && yaml::boolean_of(value.text()) == false && field != "hostUsers")
    return true;
  return std::ranges::find(kDefaults, std::pair(field, value.text())) != kDefaults.end();
}

static const Loss* find_loss(std::span<const Loss> losses, const Node& value) {
  const auto loss = std::ranges::find(losses, value.key()->text(), &Loss::field);
  return loss == losses.end() ? nullptr : &*loss;
}

/// What Knative drops of one of the specs that the pod is merged from.
static std::vector<const Node*> dropped_from(const k8s::PodSpec& pod, bool graph) {
  std::vector<const Node*> dropped = kserve::fields_dropped_by_knative(pod.node());
  const bool claims = !pod["resourceClaims"].is_empty();
  for (const k8s::Container& container : pod.all_containers()) {
    for (const Node* value : kserve::container_fields_dropped_by_knative(*container.node)) {
      // A claim is written in two places, and KServe itself drops those of a router.
      if (value->key()->text() != "claims" || (!claims && !graph)) dropped.push_back(value);
    }
  }
  const bool named = !pod["serviceAccountName"].is_empty();
  // Its number is what counts in any mode; a pod that says another is refused.
  const bool classed = !pod["priorityClassName"].is_empty();
  // What only containers can ask for is a mistake in any mode, and another rule's business.
  const bool misplaced = !k8s::refused_at_pod_level(pod).empty();
  std::erase_if(dropped, [&](const Node* value) {
    return value->key() == nullptr || value->made || is_default(*value) ||
           (misplaced && value->key()->text() == "resources") ||
           (named && value->key()->text() == "serviceAccount") ||
           (classed && value->key()->text() == "priority");
  });
  return dropped;
}

static std::string called(const Node& value, const Loss* loss) {
  const bool has_name = loss == nullptr || loss->called.empty();
  return has_name ? fmt::format("'{}'", value.key()->text()) : std::string(loss->called);
}

static bool is_plural(const Node& value) {
  const std::string_view field = value.key()->text();
  return field == "resources" || field == "resourceClaims" || field == "claims" ||
         field == "schedulingGates" || field == "readinessGates" || field == "volumeDevices";
}

static void report_dropped(const Workload& workload, const Node& value, Report& report) {
  const bool certain = workload.mode.mode != DeploymentMode::unknown;
  const Loss* loss = find_loss(kPlacement, value);
  const bool places = loss != nullptr;
  if (!certain && !places) return;
  if (!places) loss = find_loss(kOthers, value);
  auto finding =
      report.add_at_key(value, "a Knative Service{} has no {}: {} dropped silently{}{}",
                        certain ? "" : ", KServe's default,", called(value, loss),
                        is_plural(value) ? "they are" : "it is", loss == nullptr ? "" : ", and ",
                        loss == nullptr ? "" : loss->consequence);
  if (!certain || !places) finding.severity(Severity::warning);
  note_deployment_mode(workload, finding);
  const bool alternative = loss != nullptr && !loss->instead.empty();
  finding.help("{}{}switch to {}", alternative ? loss->instead : "", alternative ? ", or " : "",
               raw_mode_setting(*workload.object, report.facts().kserve));
}

static bool may_run_on_knative(const Workload& workload, const Report& report) {
  const bool graph = workload.object->kind == "InferenceGraph";
  return may_be_serverless(workload, report) ||
         (graph && workload.mode.mode == DeploymentMode::model_mesh);
}

static void check(const Workload& workload, Report& report) {
  if (!is_read_by_kserve(*workload.object) || workload.fragment) return;
  if (!may_run_on_knative(workload, report) || !workload.never_created.empty()) return;
  const std::string_view component = workload.component;
  // Canaries and workers are not for Knative at all.
  if (component.ends_with("worker") || component.starts_with("canary")) return;
  const bool graph = workload.object->kind == "InferenceGraph";
  for (const Node* value : dropped_from(workload.own, graph)) {
    report_dropped(workload, *value, report);
  }
  for (const k8s::Base& base : workload.bases) {
    for (const Node* value : dropped_from(base.pod, graph)) {
      report_dropped(workload, *value, report);
    }
  }
}

}  // namespace cnsched::rules
