#include <algorithm>
#include <set>
#include <tuple>

#include "core/base/text.h"
#include "rules/kserve/mode_note.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const ClusterScope& scope, Report& report);

extern constinit const Rule knative_deployment_mode_unknown = {
    .id = "deployment-mode-unknown",
    .severity = Severity::warning,
    .depends_on_workspace = true,
    .follows = "knative-feature-disabled",
    .summary = "nothing shows whether Knative runs the pods, and with which flags",
    .details =
        "One finding for each cluster, with the number of services that it concerns; "
        "knative-feature-disabled reports each of their fields, as info. State one fact to judge "
        "them: cluster.defaultDeploymentMode or cluster.knativeFeatures in .cnsched.yaml, or the "
        "ConfigMaps inferenceservice-config and config-features in a --cluster file.",
    .why =
        "Whether any pod starts depends on two settings of the cluster. KServe's shipped default "
        "is serverless (Knative) mode. There, Knative's webhook rejects scheduling fields, and "
        "others, unless feature flags turn them on, and no pod starts. In raw mode "
        "(RawDeployment, Standard) it has no say, and the same manifest is correct.",
    .limits =
        "The finding is at the first of the services, by namespace and name. A service that states "
        "its mode in the "
        "annotation serving.kserve.io/deploymentMode is not counted, nor is one without a field "
        "that Knative may reject. Nothing is reported as soon as the linted files, a --cluster "
        "file or the configuration show the default mode or any feature flag: "
        "knative-feature-disabled then judges each field. Settings of that rule apply to this one "
        "too, unless they name it.",
    .bad = R"(
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: example
spec:
  predictor:
    nodeSelector:
      cloud.google.com/gke-accelerator: nvidia-l4
    model:
      modelFormat: {name: onnx}
      resources:
        limits: {nvidia.com/gpu: 1}
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
    deploymentStrategy: {type: Recreate}
    nodeSelector:
      cloud.google.com/gke-accelerator: nvidia-l4
    model:
      modelFormat: {name: onnx}
      resources:
        limits: {nvidia.com/gpu: 1}
)",
    .source = "https://kserve.github.io/website/docs/concepts/architecture/control-plane",
    .check = check,
    .not_exported = "it reports facts that cnsched does not know, not a mistake in an object",
};

/// Whether Knative, which runs the pod unless the cluster's default was changed [K52], may reject a
/// field of it.
static bool may_be_rejected(const Workload& workload) {
  return is_read_by_kserve(*workload.object) &&
         workload.mode.mode == kserve::DeploymentMode::unknown &&
         !workload.scope->facts(*workload.object).shows_deployment() &&
         !workload.unaccepted_by_knative.empty();
}

/// The order of services: that of files may change.
static bool is_before(const k8s::Object* a, const k8s::Object* b) {
  return std::tie(a->ns, a->name, a->root->span) < std::tie(b->ns, b->name, b->root->span);
}

static void check(const ClusterScope& scope, Report& report) {
  std::set<const k8s::Object*> services;
  for (const Workload& workload : scope.workloads()) {
    if (scope.is_linted(*workload.object) && may_be_rejected(workload)) {
      services.insert(workload.object);
    }
  }
  if (services.empty()) return;
  const k8s::Object* first = *std::ranges::min_element(services, is_before);
  report.set_subject(first);
  report
      .add((*first)["metadata"]["name"],
           "neither the cluster's default deployment mode nor Knative's feature flags are known: "
           "in serverless (Knative) mode, KServe's default, Knative rejects fields of {} unless "
           "flags turn them on",
           count_of(services.size(), "service"))
      .help(
          "set cluster.defaultDeploymentMode and cluster.knativeFeatures in .cnsched.yaml to what "
          "the cluster has")
      .snippet(deployment_snippet());
}

}  // namespace cnsched::rules
