#include "rules/kserve/mode_note.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Workload& workload, Report& report);

extern constinit const Rule kserve_worker_deployment_deleted = {
    .id = "worker-deployment-deleted",
    .severity = Severity::info,
    .depends_on_workspace = true,
    .summary = "workers that KServe 0.20 deletes as soon as it creates them",
    .why =
        "No worker pod starts, and the head waits for its workers for ever. KServe 0.20 looks for "
        "Deployments of removed canaries and takes the Deployment of the workers for one: every "
        "reconciliation in raw (RawDeployment, Standard) mode creates and deletes it, together "
        "with the headless Services of head and workers. KServe 0.19 does not do so, and the "
        "defect is fixed after 0.20 (issue 6113, pull request 5899).",
    .limits =
        "The finding is an info, because the manifest is correct. It is reported for KServe 0.20, "
        "and while cluster.kserve does not state the release, only for services whose mode is "
        "known to be raw. Serverless services are reported by worker-on-knative.",
    .bad = R"(
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: llama
  annotations:
    serving.kserve.io/deploymentMode: Standard
    serving.kserve.io/autoscalerClass: none
spec:
  predictor:
    model:
      modelFormat: {name: huggingface}
      storageUri: pvc://llama/model
    workerSpec: {pipelineParallelSize: 2}
)",
    .good = R"(
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata:
  name: llama
spec:
  model: {uri: "pvc://llama/model"}
  parallelism: {pipeline: 2}
  template:
    containers:
    - name: main
      resources:
        limits: {nvidia.com/gpu: 1}
  worker:
    containers:
    - name: main
      resources:
        limits: {nvidia.com/gpu: 1}
)",
    .source = "https://github.com/kserve/kserve/issues/6113",
    .check = check,
    .admission =
        AdmissionCheck{
            .of = AdmissionCheck::Of::object,
            .kinds = "InferenceService",
            .infos = R"cel(
has_workers() && deployment_mode(object) == 'standard' && !is_stopped(object) && fact('kserve.release').matches('^(0[.]20[.]|$)') ?
  ["KServe 0.20 deletes the Deployment '" + text(object.metadata.?name) + "-predictor-worker' whenever it reconciles the service: no worker starts, and the head waits for ever; use KServe 0.19 or a release after 0.20, or an LLMInferenceService"] : [])cel",
        },
};

/// Whether the release has the defect, or may have it [K81].
static bool may_delete_workers(const std::optional<Version>& release) {
  constexpr Version kFirst{0, 20, 0};
  constexpr Version kFixed{0, 21, 0};
  return !release || (*release >= kFirst && *release < kFixed);
}

static void check(const Workload& workload, Report& report) {
  const k8s::Object& service = *workload.object;
  if (service.kind != "InferenceService" || workload.component != "worker") return;
  if (!is_read_by_kserve(service) || workload.never_created) return;
  if (workload.mode.mode != kserve::DeploymentMode::standard) return;
  const std::optional<Version>& release = report.facts().releases().kserve;
  if (!may_delete_workers(release)) return;
  auto finding = report.add_at_key(*workload.written,
                                   "KServe 0.20 deletes the Deployment '{}' whenever it reconciles "
                                   "the service: no worker starts, and the head waits for ever",
                                   workload.name);
  note_deployment_mode(workload, finding);
  finding.help("use KServe 0.19 or a release after 0.20, or an LLMInferenceService{}",
               release ? ""
                       : "; if the cluster has another release, state it: 'cluster: {kserve: "
                         "\"0.19\"}' in .cnsched.yaml");
}

}  // namespace cnsched::rules
