#pragma once

#include <string>
#include <vector>

#include "core/workloads/cluster_facts.h"
#include "core/workloads/workload.h"

namespace cnsched {

/// What Knative's webhook says of a pod that KServe runs serverless.
struct KnativeVerdict {
  std::string refused;                ///< why no pod appears; empty if one may
  std::vector<k8s::Unknown> unknown;  ///< flags that decide, and whose state nothing tells
};

/// Judges the pod by the fields that flags gate. Nothing is said of pods that are certainly not, or
/// only perhaps, run by Knative.
KnativeVerdict knative_verdict(const Workload& workload, const ClusterFacts& facts);

}  // namespace cnsched
