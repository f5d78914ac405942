#include "core/workloads/knative_verdict.h"

#include <fmt/format.h>

#include "core/kserve/knative_features.h"

namespace cnsched {

KnativeVerdict knative_verdict(const Workload& workload, const ClusterFacts& facts) {
  KnativeVerdict result;
  const bool worker = workload.component.ends_with("worker");
  if (workload.mode.mode != kserve::DeploymentMode::knative || worker) return result;
  for (const kserve::GatedField& field : kserve::gated_fields(workload.in_template.node())) {
    const auto verdict = kserve::verdict_on(*field.feature, facts.knative_features);
    if (verdict.kind == kserve::FeatureVerdict::Kind::refuses) {
      result.refused = fmt::format(
          "Knative refuses '{}', for its flag '{}' is {}", field.field, field.feature->flag,
          verdict.state == kserve::FlagState::allowed ? "only allowed" : "off");
      return result;
    }
    if (verdict.kind == kserve::FeatureVerdict::Kind::unknown) {
      result.unknown.push_back({fmt::format("whether Knative accepts '{}' (flag '{}')", field.field,
                                            field.feature->flag),
                                k8s::Unknown::Kind::circumstance});
    }
  }
  return result;
}

}  // namespace cnsched
