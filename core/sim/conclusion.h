#pragma once

#include <string_view>

#include "core/sim/advice.h"
#include "core/sim/autoscaler.h"

namespace cnsched::sim {

/// What the given nodes, pools and running pods say about a pod. The rules of lint, simulate and
/// diff all decide by it.
enum class Conclusion : unsigned char {
  fits,
  preempts,  ///< it fits after the eviction of other pods
  nowhere,   ///< it stays Pending
  /// No given pool gets a node for it. It stays Pending unless the cluster has other nodes.
  needs_other_nodes,
  /// No given node accepts it. It stays Pending unless an autoscaler adds nodes of a pool that is
  /// not given.
  needs_new_nodes,
  unknown,
  no_pod,         ///< the object wants none, or no node matches the DaemonSet
  never_created,  ///< a controller or the API server rejects it
};

/// `outlook`: what autoscalers add for the pod (Autoscalers::outlook), `advice`: for a pod that
/// fits no node; null if there is none.
///
/// Every cluster has nodes for pods without constraints, so a list without them is only a part.
/// Nodes and pools together are all nodes. Of Nodes alone, a pod can only conclude something if one
/// that it selects, with an accelerator that it requests, exists: an autoscaler may have pools
/// without nodes. Of pools alone, it has to select one.
Conclusion conclusion_on(const Simulated& simulated, const Outlook* outlook, const Advice* advice);

/// Whether nothing says which nodes run the pod: no constraint, and no device that it requests.
bool is_unconstrained(const Simulated& simulated);
/// Whether the given nodes and pools are meant for such pods. Without Nodes, pools are mostly only
/// those with accelerators, and those of the configuration may be some of them.
bool are_nodes_meant_for(const Simulated& simulated);

/// Whether an overlay that was not built may decide where the pod fits.
bool may_be_changed(const Workload& workload);

/// Whether no given node accepts the pod, and no given pool gets one for it.
bool lacks_node(Conclusion conclusion);
/// Whether the given nodes and pools do not run the pod: simulate exits with 1.
bool is_failure(Conclusion conclusion);
/// "fits", "needsNewNodes": for JSON.
std::string_view name_of(Conclusion conclusion);

}  // namespace cnsched::sim
