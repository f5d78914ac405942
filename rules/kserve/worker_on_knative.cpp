#include "rules/common/mode_note.h"
#include "rules/rule.h"

namespace cnsched::rules::worker_on_knative {

using kserve::DeploymentMode;

static void check(const Workload& workload, Findings& findings) {
  if (workload.object->kind != "InferenceService" || workload.component != "worker") return;
  if (!workload.may_be_serverless()) return;
  const bool certain = workload.mode.mode == DeploymentMode::knative;
  auto finding =
      findings.add_at_key(*workload.written,
                          "KServe ignores 'workerSpec' in serverless (Knative) mode{}: it "
                          "creates only the head, without the GPUs of the workers",
                          certain ? "" : ", KServe's default");
  if (!certain) finding.severity(Severity::warning);
  note_deployment_mode(workload, finding);
  finding.help("set {}", raw_mode_setting(*workload.object, findings.facts().releases().kserve));
}

extern constinit const Rule rule = {
    .id = "worker-on-knative",
    .severity = Severity::error,
    .depends_on_workspace = true,
    .of = Domain::kserve,
    .check = check,
};

}  // namespace cnsched::rules::worker_on_knative
