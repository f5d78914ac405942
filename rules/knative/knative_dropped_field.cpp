// The pod of a Knative Service no longer has these fields, so the rule searches the specs that it
// is merged from.
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
    .depends_on_workspace = true,
    .summary =
        "a field that a Knative Service does not have, and that the API server silently drops",
    .why =
        "The pods run on other nodes or without their device, although the InferenceService looks "
        "correct. In serverless (Knative) mode KServe creates a Knative Service, whose schema has "
        "no nodeName, resourceClaims, resources.claims, preemptionPolicy, priority, "
        "schedulingGates, overhead or pod-level resources. The API server silently drops unknown "
        "fields; Knative up to 1.5 rejected them.\n\n"
        "The finding is a warning for a field that does not decide where the pod runs, such as "
        "terminationGracePeriodSeconds or lifecycle. It is also a warning while the deployment "
        "mode is unknown, because serverless is KServe's default.",
    .limits =
        "While the deployment mode is unknown, only fields that decide where the pod runs are "
        "reported. Fields with their default value are not reported, because nothing is lost with "
        "them. Pod-level resources that Kubernetes rejects in any mode are reported by "
        "pod-level-accelerator. Workers and canaries are not checked, because Knative does not run "
        "them.",
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
    .admission =
        AdmissionCheck{
            .kinds = "InferenceService",
            .errors = R"cel(
pod.name == 'worker' || deployment_mode(pod.object) != 'knative' ? [] : dropped_placement(pod).map(l,
  'a Knative Service has no ' + l[0] + ': the API server drops the field silently, and ' + l[1] +
  "; set 'serving.kserve.io/deploymentMode: RawDeployment' (Standard from KServe 0.16 on)"))cel",
            .warnings = R"cel(
pod.name == 'worker' ? [] : [deployment_mode(pod.object)].map(mode,
  mode == '' ? dropped_placement(pod).map(l, "in serverless (Knative) mode, KServe's default, a Knative Service has no " + l[0] +
    ': the API server drops the field silently, and ' + l[1] + "; set 'serving.kserve.io/deploymentMode: RawDeployment' (Standard from KServe 0.16 on)").join('\n') :
  mode != 'knative' ? '' :
  (['activeDeadlineSeconds', 'hostname', 'subdomain', 'setHostnameAsFQDN', 'hostnameOverride', 'readinessGates'].filter(f, is_set(pod.spec[?f])) +
    (text(pod.spec.?restartPolicy) in ['', 'Always'] ? [] : ['restartPolicy']) +
    (pod.spec.?hostUsers.orValue(true) == false ? ['hostUsers'] : []) +
    (pod.spec.?terminationGracePeriodSeconds.orValue(30) == 30 ? [] : ['terminationGracePeriodSeconds']) +
    (is_set(pod.spec.?serviceAccount) && !is_set(pod.spec.?serviceAccountName) ? ['serviceAccount'] : []) +
    ['lifecycle', 'volumeDevices'].filter(f, pod.allContainers.exists(c, is_set(c[?f]))) +
    (pod.allContainers.exists(c, !(text(c.?restartPolicy) in ['', 'Always'])) ? ['restartPolicy'] : []))
  .map(f, "a Knative Service has no '" + f + "': the API server drops the field silently" + (
    f == 'terminationGracePeriodSeconds' ? ", and Knative uses the timeout of the component instead; set 'timeout' in the component, or " :
    f == 'serviceAccount' ? ', and the pod uses the default service account; use serviceAccountName, or ' :
    f == 'lifecycle' ? ', and no hook runs; ' : '; ') + "set 'serving.kserve.io/deploymentMode: RawDeployment' (Standard from KServe 0.16 on)").join('\n')))cel",
        },
};

using kserve::DeploymentMode;
using yaml::Node;

namespace {

/// A field, and the consequence for a pod without it.
struct Loss {
  std::string_view field;
  std::string_view consequence;
  std::string_view instead = {};  ///< what Knative has instead
  std::string_view called = {};   ///< name in messages, if not the field alone
};

}  // namespace

constexpr auto kPlacement = std::to_array<Loss>({
    {"nodeName", "the pod runs on any node",
     "use nodeSelector, which Knative accepts with the flag 'kubernetes.podspec-nodeselector'"},
    {"resourceClaims", "the pod gets no device"},
    {"claims", "the container gets no device", "", "'resources.claims' of a container"},
    {"preemptionPolicy", "the priority class alone decides what the pod preempts",
     "set it in a PriorityClass"},
    {"priority", "the pod keeps the default priority",
     "use priorityClassName, which Knative accepts with the flag "
     "'kubernetes.podspec-priorityclassname'"},
    {"schedulingGates", "the pod is scheduled at once"},
    {"overhead", "the scheduler does not add it to the requests"},
    {"resources", "only the resources of the containers count",
     "set the resources of the container", "pod-level 'resources'"},
});

constexpr auto kOthers = std::to_array<Loss>({
    {"terminationGracePeriodSeconds", "Knative uses the timeout of the component instead",
     "set 'timeout' in the component"},
    {"serviceAccount", "the pod uses the default service account", "use serviceAccountName"},
    {"lifecycle", "no hook runs"},
});

/// Whether losing the field changes nothing: Knative sets it itself, or every Knative pod runs so.
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

/// The fields that Knative drops from one of the specs that the pod is merged from.
static std::vector<const Node*> dropped_from(const k8s::PodSpec& pod, bool graph) {
  std::vector<const Node*> dropped = kserve::fields_dropped_by_knative(pod.node());
  const bool claims = !pod["resourceClaims"].is_empty();
  for (const k8s::Container& container : pod.all_containers()) {
    for (const Node* value : kserve::container_fields_dropped_by_knative(*container.node)) {
      // A claim is in two places; one finding is enough. KServe itself drops the claims of a
      // router.
      if (value->key()->text() != "claims" || (!claims && !graph)) dropped.push_back(value);
    }
  }
  const bool named = !pod["serviceAccountName"].is_empty();
  // Admission sets the number of the class in any mode, and rejects a pod with another one.
  const bool classed = !pod["priorityClassName"].is_empty();
  // pod-level-accelerator reports resources that only containers can request.
  const bool misplaced = !k8s::rejected_at_pod_level(pod).empty();
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

static void report_dropped(const Workload& workload, const Node& value, Report& report) {
  const bool certain = workload.mode.mode != DeploymentMode::unknown;
  const Loss* loss = find_loss(kPlacement, value);
  const bool places = loss != nullptr;
  if (!certain && !places) return;
  if (!places) loss = find_loss(kOthers, value);
  auto finding = report.add_at_key(
      value, "{}a Knative Service has no {}: the API server drops the field silently{}{}",
      certain ? "" : kInDefaultMode, called(value, loss), loss == nullptr ? "" : ", and ",
      loss == nullptr ? "" : loss->consequence);
  if (!certain || !places) finding.severity(Severity::warning);
  note_deployment_mode(workload, finding);
  const bool alternative = loss != nullptr && !loss->instead.empty();
  finding.help("{}{}set {}", alternative ? loss->instead : "", alternative ? ", or " : "",
               raw_mode_setting(*workload.object, report.facts().releases().kserve));
}

static bool may_run_on_knative(const Workload& workload) {
  const bool graph = workload.object->kind == "InferenceGraph";
  return workload.may_be_serverless() ||
         (graph && workload.mode.mode == DeploymentMode::model_mesh);
}

static void check(const Workload& workload, Report& report) {
  if (!is_read_by_kserve(*workload.object) || workload.fragment) return;
  if (!may_run_on_knative(workload) || !workload.is_built()) return;
  const std::string_view component = workload.component;
  // Knative runs no canaries and workers.
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
