#pragma once

#include <string_view>

#include "core/base/arena.h"
#include "core/facts/cluster_facts.h"
#include "core/workspace/workload.h"

namespace cnsched {

/// What the container that Knative adds to its pods requests [N14].
inline constexpr std::string_view kQueueProxyCpu = "25m";

/// Whether Knative runs the pod.
bool is_on_knative(const Workload& workload);

/// The workload with the pod as it is admitted, as far as that is known: with Knative's container
/// `queue-proxy` and its preferred anti-affinity [N14, N20], and what the admission plugins add
/// [P28, P29, P31]. What is not known is among its `unknown`.
Workload admitted_workload(const Workload& workload, const facts::ClusterFacts& facts,
                           Arena& arena);

}  // namespace cnsched
