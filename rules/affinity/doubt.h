#pragma once

#include "rules/rule.h"

namespace cnsched::rules {

/// Weighs the finding less and says at `place` what of the pod is not known, for that may undo it.
inline void tell_unknown(const Workload& workload, const yaml::Node& place,
                         Report::Finding& finding) {
  finding.severity(Severity::warning);
  for (const k8s::Unknown& unknown : workload.unknown) {
    if (unknown.kind == k8s::Unknown::Kind::circumstance) continue;
    finding.note(place, "not known: {}", unknown.what);
  }
}

}  // namespace cnsched::rules
