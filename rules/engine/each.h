#pragma once

#include "rules/engine/report.h"

namespace cnsched::rules {

/// Calls `check` with each pod of the linted files; findings are then about that pod.
template <typename Check>
void each_linted_pod(const Workspace& run, Report& report, Check check) {
  for (const Workload& workload : run.workloads()) {
    if (!run.is_linted(*workload.object)) continue;
    report.set_subject(workload.object, workload.component);
    check(workload);
  }
}

}  // namespace cnsched::rules
