#include <algorithm>

#include "core/kserve/validation.h"
#include "core/workspace/workload.h"
#include "rules/rule.h"

namespace cnsched::rules::rejected_by_kserve {

/// Whether the part lacks only what is written in it under a name that does not exist, which
/// unknown-field or misplaced-field reports.
static bool is_misspelt(const yaml::Node& part, Deviations deviations) {
  return std::ranges::any_of(deviations, [&](const k8s::schema::Deviation& deviation) {
    const yaml::Node* parent = deviation.node->parent();
    return deviation.kind == k8s::schema::Deviation::Kind::unknown_field && parent != nullptr &&
           parent->key() == &part;
  });
}

static void check(const k8s::Object& object, Deviations deviations, Findings& findings) {
  const facts::ClusterFacts& facts = findings.facts();
  const auto may_be_patch = [&](const Workload* pod) { return is_patch(*pod, findings.scope()); };
  if (std::ranges::any_of(findings.scope().workloads_of(object), may_be_patch)) return;
  const auto context = findings.scope().controller_context(object, findings.values());
  for (const kserve::Rejection& rejection :
       kserve::rejections(object, context, facts.kserve_webhooks != false)) {
    if (rejection.has_rule || is_misspelt(*rejection.where, deviations)) continue;
    auto finding = findings.add(*rejection.where, "{}", kserve::message_of(rejection));
    finding.help("{}", rejection.help);
    if (rejection.is_doubtful) finding.severity(Severity::warning);
  }
}

extern constinit const Rule rule = {
    .id = "rejected-by-kserve",
    .severity = Severity::error,
    .depends_on_workspace = true,
    .of = Domain::no_patches,
    .check = check,
};

}  // namespace cnsched::rules::rejected_by_kserve
