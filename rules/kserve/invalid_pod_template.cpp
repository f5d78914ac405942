#include "core/workspace/workload.h"
#include "rules/common/wording.h"
#include "rules/rule.h"

namespace cnsched::rules::invalid_pod_template {

/// Where to report the problem: in the pod's own object if it has a part in it.
static const yaml::Node& place_of(const k8s::TemplateProblem& problem, const Workload& workload,
                                  const Findings& findings) {
  const auto is_own = [&](const yaml::Node* node) {
    return node != nullptr && setter_of(*node, findings) == workload.object;
  };
  if (is_own(problem.where) || !is_own(problem.other)) return *problem.where;
  return *problem.other;
}

static void check(const Workload& workload, Findings& findings) {
  for (const k8s::TemplateProblem& problem : template_problems(workload)) {
    const yaml::Node& place = place_of(problem, workload, findings);
    const bool is_shared = setter_of(place, findings) != workload.object;
    const yaml::Node& name = (*workload.object)["metadata"]["name"];
    auto finding = findings.add(
        is_shared && name ? name : place, "{}: {}", problem.what,
        problem.only_in_pod ? "the API server rejects the pod" : rejection_of(workload));
    finding.help("{}", problem.help);
    for (const yaml::Node* node : {problem.where, problem.other}) {
      if (node == nullptr || node == &place || setter_of(*node, findings) == nullptr) continue;
      finding.note(*node, "{} has this", named(*setter_of(*node, findings)));
    }
    if (is_shared && setter_of(place, findings) != nullptr) {
      finding.note(place, "{} has this", named(*setter_of(place, findings)));
    }
  }
}

extern constinit const Rule rule = {
    .id = "invalid-pod-template",
    .severity = Severity::error,
    .depends_on_workspace = true,
    .decided_by_subject = true,
    .of = Domain::no_patches,
    .check = check,
};

}  // namespace cnsched::rules::invalid_pod_template
