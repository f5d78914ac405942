#include "rules/kserve/mode_note.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Workload& workload, Report& report);

extern constinit const Rule kserve_worker_on_knative = {
    .id = "worker-on-knative",
    .severity = Severity::error,
    .summary = "a predictor over several nodes in serverless mode, where workers do not exist",
    .why =
        "Only in the mode Standard (RawDeployment up to 0.15) does KServe create the Deployment of "
        "the workers. In serverless mode it accepts workerSpec, counts out no GPUs and creates the "
        "head alone, with its part of the model's GPUs. A warning while the deployment mode "
        "is unknown, serverless being KServe's default.",
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
  const DeploymentMode mode = workload.mode.mode;
  if (mode != DeploymentMode::knative && mode != DeploymentMode::unknown) return;
  const bool certain = mode == DeploymentMode::knative;
  auto finding =
      report.add_at_key(*workload.written, "KServe creates no workers {}: the head stays alone",
                        certain ? "on Knative" : "in serverless mode, its default");
  if (!certain) finding.severity(Severity::warning);
  note_deployment_mode(workload, finding);
  finding.help(
      "deploy with the annotation serving.kserve.io/deploymentMode: RawDeployment "
      "(Standard from 0.16 on)");
}

}  // namespace cnsched::rules
