#include "rules/kserve/mode_note.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Workload& workload, Report& report);

extern constinit const Rule kserve_worker_on_knative = {
    .id = "worker-on-knative",
    .severity = Severity::error,
    .depends_on_workspace = true,
    .summary = "workerSpec in serverless mode, where KServe creates no workers",
    .why =
        "The model runs without the GPUs of its workers. KServe creates workers only in raw "
        "(RawDeployment, Standard) mode; in serverless (Knative) mode it accepts workerSpec "
        "without an error and creates only the head. The finding is a warning while the deployment "
        "mode is unknown, because serverless is KServe's default.",
    .limits =
        "The rule does not report a service whose own deployment mode cannot be read, such as a "
        "placeholder. It checks no other field of workerSpec; the GPUs of head and workers are "
        "checked by parallelism-gpus.",
    .bad = R"(
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: llama
  annotations:
    serving.kserve.io/deploymentMode: Serverless
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
    .source = "https://kserve.github.io/website/docs/model-serving/generative-inference/multi-node",
    .check = check,
    .admission =
        AdmissionCheck{
            .of = AdmissionCheck::Of::object,
            .kinds = "InferenceService",
            .errors = R"cel(
has_workers() && deployment_mode(object) == 'knative' ?
  ["KServe ignores 'workerSpec' in serverless (Knative) mode: it creates only the head, without the GPUs of the workers; set 'serving.kserve.io/deploymentMode: RawDeployment' (Standard from KServe 0.16 on)"] : [])cel",
            .warnings = R"cel(
has_workers() && deployment_mode(object) == '' ?
  ["KServe ignores 'workerSpec' in serverless (Knative) mode, KServe's default: it creates only the head, without the GPUs of the workers; set 'serving.kserve.io/deploymentMode: RawDeployment' (Standard from KServe 0.16 on)"] : [])cel",
        },
};

using kserve::DeploymentMode;

static void check(const Workload& workload, Report& report) {
  if (workload.object->kind != "InferenceService" || workload.component != "worker") return;
  if (!is_read_by_kserve(*workload.object)) return;
  if (!workload.may_be_serverless()) return;
  const bool certain = workload.mode.mode == DeploymentMode::knative;
  auto finding = report.add_at_key(*workload.written,
                                   "KServe ignores 'workerSpec' in serverless (Knative) mode{}: it "
                                   "creates only the head, without the GPUs of the workers",
                                   certain ? "" : ", KServe's default");
  if (!certain) finding.severity(Severity::warning);
  note_deployment_mode(workload, finding);
  finding.help("set {}", raw_mode_setting(*workload.object, report.facts().releases().kserve));
}

}  // namespace cnsched::rules
