#include <algorithm>

#include "rules/rule.h"

namespace cnsched::rules::never_created {

/// Whether an error is reported of a pod of the object that is not created for the same reason.
static bool is_reported(const Workload& workload, const Reported& reported) {
  return std::ranges::any_of(workload.scope->workloads_of(*workload.object), [&](const auto* pod) {
    return pod->why_never_created() == workload.why_never_created() && reported.has_error(*pod);
  });
}

/// Whether an overlay that was not built may take the reason away.
static bool may_be_changed(const Workload& workload) {
  return workload.scope->workspace().may_get_field(
      *workload.object,
      {"annotations", "containers", "model", "parallelism", "predictors", "replicas", "runtime"});
}

static void check(const Workload& workload, const Reported& reported, Findings& findings) {
  using By = k8s::NeverCreated::By;
  if (!workload.is_failure() || workload.never_created->is_doubtful) return;
  // The rules of group knative report the flag, once for all pods.
  if (workload.never_created->by == By::knative_webhook) return;
  if (is_reported(workload, reported) || may_be_changed(workload)) return;
  const k8s::Object& object = *workload.object;
  const auto is_own = [&](const yaml::Node* node) {
    return node != nullptr && *node && !node->made && node->span.file == object.root->span.file;
  };
  const yaml::Node* place = object.root;
  for (const yaml::Node* node :
       {&object["metadata"]["name"], workload.written, workload.never_created->at}) {
    if (is_own(node)) place = node;
  }
  findings.add_at_key(*place, "no pod is created: {}", workload.why_never_created());
}

extern constinit const Rule rule = {
    .id = "never-created",
    .severity = Severity::error,
    .depends_on_workspace = true,
    .of = Domain::no_patches,
    .check = check,
};

}  // namespace cnsched::rules::never_created
