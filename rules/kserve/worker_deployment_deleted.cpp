#include "rules/common/mode_note.h"
#include "rules/rule.h"

namespace cnsched::rules::worker_deployment_deleted {

/// Whether the release has the defect [K81].
static bool deletes_workers(const Version& release) {
  return release.major == 0 && release.minor == 20;
}

static void check(const Workload& workload, Findings& findings) {
  const k8s::Object& service = *workload.object;
  if (service.kind != "InferenceService" || workload.component != "worker") return;
  if (workload.never_created) return;
  if (workload.mode.mode != kserve::DeploymentMode::standard) return;
  const std::optional<Version>& release = findings.facts().releases().kserve;
  if (!deletes_workers(release.value_or(k8s::schema::newest(Project::kserve)))) return;
  auto finding =
      findings.add_at_key(*workload.written,
                          "KServe 0.20 deletes the Deployment '{}' whenever it reconciles "
                          "the service: no worker starts, and the head waits for ever",
                          workload.name);
  note_deployment_mode(workload, finding);
  // The cluster may have another release than the newest.
  if (!release) finding.severity(Severity::warning);
  finding.help("use KServe 0.19, or an LLMInferenceService{}",
               release ? ""
                       : "; if the cluster has another release, state it: 'cluster: {kserve: "
                         "\"0.19\"}' in .cnsched.yaml");
}

extern constinit const Rule rule = {
    .id = "worker-deployment-deleted",
    .severity = Severity::error,
    .depends_on_workspace = true,
    .of = Domain::kserve,
    .check = check,
};

}  // namespace cnsched::rules::worker_deployment_deleted
