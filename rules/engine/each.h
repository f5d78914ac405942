#pragma once

#include "rules/engine/report.h"

namespace cnsched::rules {

/// Calls `check` with each pod of the linted files, as the subject of its findings.
template <typename Check>
void each_linted_pod(const ClusterScope& scope, Report& report, Check check) {
  for (const Workload& workload : scope.workloads()) {
    if (!scope.is_linted(*workload.object)) continue;
    report.set_subject(workload);
    check(workload);
  }
}

}  // namespace cnsched::rules
