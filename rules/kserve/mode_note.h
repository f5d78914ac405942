#pragma once

#include "core/workloads/workload.h"
#include "rules/engine/report.h"

namespace cnsched::rules {

/// Points at what says the deployment mode, if anything does.
inline void note_deployment_mode(const Workload& workload, Report::Finding& finding) {
  const yaml::Node* said = workload.mode.said;
  if (said == nullptr) return;
  // The value may be a whole text in JSON, so the key is pointed at.
  finding.note(said->key != nullptr ? *said->key : *said, "the mode is set here");
}

}  // namespace cnsched::rules
