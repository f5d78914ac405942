#include <algorithm>

#include "core/kserve/validation.h"
#include "core/workloads/patch.h"
#include "rules/kserve/mode_note.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const k8s::Object& object, Deviations deviations, Report& report);

extern constinit const Rule kserve_rejected_by_kserve = {
    .id = "rejected-by-kserve",
    .severity = Severity::error,
    .depends_on_workspace = true,
    .summary = "KServe rejects an object that fits the schema",
    .details =
        "The rule checks what KServe's webhook checks: each component of an InferenceService has "
        "exactly one model server, the "
        "name, autoscaler class, scale metric and deployment strategy fit, 'workerSpec' has what "
        "several nodes need, and canaries have a name and fixed replicas. KServe's controller also "
        "rejects addresses of models with an unknown scheme, and the CRD an LLMInferenceService "
        "whose scaling has no autoscaler.\n\n"
        "Two findings are warnings: a predictor without a model server, because the object may be "
        "a "
        "patch, and an unknown scheme, because a ClusterStorageContainer may support it.",
    .why =
        "No pod is created. The API server asks KServe's webhook about each InferenceService, "
        "after "
        "it has checked the schema of the CRD: 'kubectl apply' fails. What the controller rejects, "
        "'kubectl apply' accepts, and the object stays not ready. The schema alone accepts these "
        "objects, so tools that check only the schema are silent.",
    .limits =
        "The rule follows the release of 'cluster.kserve', or KServe 0.20 without one. It does not "
        "report what depends on a deployment mode that is unknown, nor placeholders. With "
        "'cluster.kserveWebhooks: false' it does not report what only the webhook rejects. It does "
        "not check the targets and "
        "metrics of 'autoScaling'.",
    .bad = R"(
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: llama
spec:
  predictor:
    model:
      modelFormat: {name: onnx}
  transformer:
    minReplicas: 1
)",
    .good = R"(
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: llama
spec:
  predictor:
    model:
      modelFormat: {name: onnx}
  transformer:
    minReplicas: 1
    containers:
    - name: kserve-container
      image: registry.example.com/preprocess:1
)",
    .source =
        "https://github.com/kserve/kserve/blob/v0.20.0/pkg/apis/serving/v1beta1/"
        "inference_service_validation.go",
    .check = check,
    .not_exported = "KServe's webhook rejects such objects itself",
};

/// Whether the part lacks only what is written in it under a name that does not exist, which
/// unknown-field or misplaced-field reports.
static bool is_misspelt(const yaml::Node& part, Deviations deviations) {
  return std::ranges::any_of(deviations, [&](const k8s::schema::Deviation& deviation) {
    const yaml::Node* parent = deviation.node->parent();
    return deviation.kind == k8s::schema::Deviation::Kind::unknown_field && parent != nullptr &&
           parent->key() == &part;
  });
}

static void check(const k8s::Object& object, Deviations deviations, Report& report) {
  const ClusterFacts& facts = report.facts();
  if (report.scope().is_patch(object)) return;
  const auto may_be_patch = [&](const Workload* pod) { return is_patch(*pod, report.scope()); };
  if (std::ranges::any_of(report.scope().workloads_of(object), may_be_patch)) return;
  const auto context = report.scope().controller_context(object, report.values());
  for (const kserve::Rejection& rejection :
       kserve::rejections(object, context, facts.kserve_webhooks != false)) {
    if (rejection.has_rule || is_misspelt(*rejection.where, deviations)) continue;
    auto finding = report.add(*rejection.where, "{}", kserve::message_of(rejection));
    finding.help("{}", rejection.help);
    if (rejection.is_doubtful) finding.severity(Severity::warning);
  }
}

}  // namespace cnsched::rules
