// The pod of a Knative Service no longer has these fields, so the rule searches the specs that it
// is merged from.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/k8s/pod_resources.h"
#include "core/kserve/knative_features.h"
#include "core/yaml/scalar.h"
#include "rules/common/mode_note.h"
#include "rules/rule.h"

namespace cnsched::rules::knative_dropped_field {

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

static void report_dropped(const Workload& workload, const Node& value, Findings& findings) {
  const bool certain = workload.mode.mode != DeploymentMode::unknown;
  const Loss* loss = find_loss(kPlacement, value);
  const bool places = loss != nullptr;
  if (!certain && !places) return;
  if (!places) loss = find_loss(kOthers, value);
  auto finding = findings.add_at_key(
      value, "{}a Knative Service has no {}: the API server drops the field silently{}{}",
      certain ? "" : kInDefaultMode, called(value, loss), loss == nullptr ? "" : ", and ",
      loss == nullptr ? "" : loss->consequence);
  if (!certain || !places) finding.severity(Severity::warning);
  note_deployment_mode(workload, finding);
  const bool alternative = loss != nullptr && !loss->instead.empty();
  finding.help("{}{}set {}", alternative ? loss->instead : "", alternative ? ", or " : "",
               raw_mode_setting(*workload.object, findings.facts().releases().kserve));
}

static bool may_run_on_knative(const Workload& workload) {
  const bool graph = workload.object->kind == "InferenceGraph";
  return workload.may_be_serverless() ||
         (graph && workload.mode.mode == DeploymentMode::model_mesh);
}

static void check(const Workload& workload, Findings& findings) {
  if (!may_run_on_knative(workload)) return;
  const std::string_view component = workload.component;
  // Knative runs no canaries and workers.
  if (component.ends_with("worker") || component.starts_with("canary")) return;
  const bool graph = workload.object->kind == "InferenceGraph";
  for (const Node* value : dropped_from(workload.own, graph)) {
    report_dropped(workload, *value, findings);
  }
  for (const k8s::Base& base : workload.bases) {
    for (const Node* value : dropped_from(base.pod, graph)) {
      report_dropped(workload, *value, findings);
    }
  }
}

extern constinit const Rule rule = {
    .id = "knative-dropped-field",
    .severity = Severity::error,
    .depends_on_workspace = true,
    .of = Domain::built | Domain::kserve | Domain::whole,
    .check = check,
};

}  // namespace cnsched::rules::knative_dropped_field
