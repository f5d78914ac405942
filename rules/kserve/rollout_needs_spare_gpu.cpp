#include <algorithm>
#include <string_view>

#include "core/accelerators/catalogue.h"
#include "core/kserve/replicas.h"
#include "core/yaml/tree.h"
#include "rules/rule.h"

namespace cnsched::rules::rollout_needs_spare_gpu {

/// Whether the object's own annotation sets raw mode, so that a Deployment creates the pods.
static bool is_certainly_raw(const Workload& workload, const Findings& findings) {
  const yaml::Node* setting = workload.mode.node;
  return workload.mode.mode == kserve::DeploymentMode::standard && setting != nullptr &&
         findings.scope().object_around(setting->span) == workload.object;
}

static bool is_worker(const Workload& workload) { return workload.component == "worker"; }

/// The component that has the strategy of the pod's Deployment: for workers the predictor.
static const yaml::Node& component_of(const Workload& workload) {
  return is_worker(workload) ? workload.object->spec()["predictor"] : *workload.written;
}

static bool needs_spare_gpu(const Workload& workload) {
  constexpr std::int64_t kReplaceable = 4;  // 25 % of them is one pod that may stop first
  return workload.is_built() && !workload.component.starts_with("canary") &&
         component_of(workload)["deploymentStrategy"].is_empty() &&
         (is_worker(workload) || workload.replicas.value_or(1) < kReplaceable) &&
         workload.replicas != 0 && workload.pod.requests_resource(accelerators::is_accelerator);
}

/// Whether the workload is the first such component of its object: one finding for each object.
static bool is_first(const Workload& workload, const Findings& findings) {
  const auto pods = findings.scope().workloads_of(*workload.object);
  const auto first =
      std::ranges::find_if(pods, [](const Workload* pod) { return needs_spare_gpu(*pod); });
  return first != pods.end() && *first == &workload;
}

/// The start of the help for KServe 0.16: it reads the mode's old name as Knative at admission, and
/// then rejects a strategy.
static std::string_view first_step(const Workload& workload, const Findings& findings) {
  constexpr Version kFrom{0, 16, 0};
  constexpr Version kTo{0, 17, 0};
  const auto& release = findings.facts().releases().kserve;
  const bool rejects = release && *release >= kFrom && *release < kTo &&
                       workload.mode.node->text() == "RawDeployment";
  return rejects ? "write 'Standard' for the deployment mode first, then " : "";
}

/// Adds the fix: with Recreate no spare accelerator is needed.
static void add_strategy(const Workload& workload, Findings& findings, Findings::Finding& finding) {
  if (!first_step(workload, findings).empty()) return;
  Arena& arena = findings.values();
  const yaml::Node& strategy = yaml::with(arena, yaml::mapping_like(arena, yaml::nowhere(), {}),
                                          "type"_key, findings.make_string("Recreate"));
  const yaml::Node& component = component_of(workload);
  const yaml::Node& empty = component["deploymentStrategy"];
  finding.fix(Safety::unsafe, "add 'deploymentStrategy: {type: Recreate}' here",
              {empty ? yaml::to_set(empty, strategy)
                     : yaml::to_add_entry(component, "deploymentStrategy", strategy)});
}

/// Reports workers: their Deployment starts all new pods at once unless the strategy is Recreate.
static void report_workers(const Workload& workload, Findings& findings) {
  auto finding =
      findings.add_at_key(component_of(workload),
                          "every update starts new workers before it stops the old ones: "
                          "without free accelerators for all of them they stay Pending");
  finding.help("{}add 'deploymentStrategy: {{type: Recreate}}' here",
               first_step(workload, findings));
  add_strategy(workload, findings, finding);
}

static void check(const Workload& workload, Findings& findings) {
  const k8s::Object& object = *workload.object;
  if (object.kind != "InferenceService") return;
  if (!is_certainly_raw(workload, findings) || kserve::is_stopped(object)) return;
  constexpr Version kHasStrategies{0, 13, 0};
  const facts::ClusterFacts& facts = findings.facts();
  if (!is_at_least(facts.releases().kserve, kHasStrategies)) return;
  if (has_default_rollout(facts) || !needs_spare_gpu(workload)) return;
  if (!is_first(workload, findings)) return;
  if (is_worker(workload)) return report_workers(workload, findings);
  auto finding =
      findings.add_at_key(*workload.written,
                          "every update of the {} starts a new pod before it stops the "
                          "old one: without a free accelerator the new pod stays Pending",
                          workload.component);
  finding.help(
      "{}add 'deploymentStrategy: {{type: Recreate}}' here, or a rollingUpdate with maxSurge 0 and "
      "maxUnavailable 1",
      first_step(workload, findings));
  add_strategy(workload, findings, finding);
}

extern constinit const Rule rule = {
    .id = "rollout-needs-spare-gpu",
    .severity = Severity::info,
    .of = Domain::kserve,
    .fix = Safety::unsafe,
    .check = check,
};

}  // namespace cnsched::rules::rollout_needs_spare_gpu
