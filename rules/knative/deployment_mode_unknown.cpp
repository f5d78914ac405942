#include <algorithm>
#include <set>
#include <tuple>

#include "core/base/text.h"
#include "rules/rule.h"

namespace cnsched::rules::deployment_mode_unknown {

/// Whether Knative, which runs the pod unless the cluster's default was changed [K52], may reject a
/// field of it.
static bool may_be_rejected(const Workload& workload) {
  return workload.mode.mode == kserve::DeploymentMode::unknown &&
         !workload.scope->facts(*workload.object).shows_deployment() &&
         !workload.unaccepted_by_knative.empty();
}

/// The order of services: that of files may change.
static bool is_before(const k8s::Object* a, const k8s::Object* b) {
  return std::tie(a->ns.name, a->name, a->root->span) <
         std::tie(b->ns.name, b->name, b->root->span);
}

static void check(const ClusterScope& scope, Findings& findings) {
  std::set<const k8s::Object*> services;
  each_linted_pod(scope, findings, Domain::kserve, [&](const Workload& workload) {
    if (may_be_rejected(workload)) services.insert(workload.object);
  });
  if (services.empty()) return;
  const k8s::Object* first = *std::ranges::min_element(services, is_before);
  findings.set_subject(first);
  findings
      .add((*first)["metadata"]["name"],
           "neither the cluster's default deployment mode nor Knative's feature flags are known: "
           "in serverless (Knative) mode, KServe's default, Knative rejects fields of {} unless "
           "flags turn them on",
           count_of(services.size(), "service"))
      .help(
          "set cluster.defaultDeploymentMode and cluster.knativeFeatures in .cnsched.yaml to what "
          "the cluster has")
      .snippet(facts::deployment_snippet());
}

extern constinit const Rule rule = {
    .id = "deployment-mode-unknown",
    .severity = Severity::warning,
    .depends_on_workspace = true,
    .follows = "knative-feature-disabled",
    .check = check,
};

}  // namespace cnsched::rules::deployment_mode_unknown
