#include "rules/kserve/mode_note.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Workload& workload, Report& report);

extern constinit const Rule kserve_worker_on_knative = {
    .id = "worker-on-knative",
    .severity = Severity::error,
    .depends_on_run = true,
    .summary = "workerSpec in serverless mode, where KServe creates no workers",
    .why =
        "The model lacks the GPUs of the workers. Only in raw (RawDeployment, Standard) mode "
        "does KServe create their Deployment. In serverless (Knative) mode it accepts workerSpec "
        "without an error, and creates the head alone. A warning while the deployment mode is "
        "unknown, serverless being KServe's default.",
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
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: llama
  annotations:
    serving.kserve.io/deploymentMode: RawDeployment
    serving.kserve.io/autoscalerClass: none
spec:
  predictor:
    model:
      modelFormat: {name: huggingface}
      storageUri: pvc://llama/model
    workerSpec: {pipelineParallelSize: 2}
)",
    .source = "https://kserve.github.io/website/docs/model-serving/generative-inference/multi-node",
    .check = check,
};

using kserve::DeploymentMode;

static void check(const Workload& workload, Report& report) {
  if (workload.object->kind != "InferenceService" || workload.component != "worker") return;
  if (!is_read_by_kserve(*workload.object)) return;
  if (!may_be_serverless(workload, report)) return;
  const bool certain = workload.mode.mode == DeploymentMode::knative;
  auto finding = report.add_at_key(
      *workload.written,
      "'workerSpec' is ignored in serverless (Knative) mode{}: KServe creates the head alone, "
      "without the GPUs of its workers",
      certain ? "" : ", KServe's default");
  if (!certain) finding.severity(Severity::warning);
  note_deployment_mode(workload, finding);
  finding.help("switch to {}", raw_mode_setting(*workload.object, report.facts().kserve));
}

}  // namespace cnsched::rules
