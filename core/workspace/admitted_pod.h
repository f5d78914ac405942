#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/arena.h"
#include "core/facts/cluster_facts.h"
#include "core/workspace/workload.h"

namespace cnsched {

/// What the container that Knative adds to its pods requests [N14].
inline constexpr std::string_view kQueueProxyCpu = "25m";

/// Whether Knative runs the pod.
bool is_on_knative(const Workload& workload);

/// What the API server's admission, and before it the controller of DaemonSets, adds to a pod
/// [P26, P28, P29, P31].
struct Admitted {
  bool is_runtime_class_unknown = false;                     ///< the one that the pod names
  const yaml::Node* runtime_labels = &yaml::missing_node();  ///< that it adds to nodeSelector
  const yaml::Node* overhead = &yaml::missing_node();        ///< of the pod, or of its RuntimeClass
  std::vector<k8s::Toleration> tolerations{};                ///< that are added for certain
  /// Those of the plugin ExtendedResourceToleration, if it is enabled.
  std::vector<k8s::Toleration> resource_tolerations{};
  std::string rejection{};  ///< why the API server rejects the pod; empty if it does not
};
/// `runtime_classes`: of the cluster.
Admitted admit(const Workload& workload, const std::vector<const k8s::Object*>& runtime_classes);

/// The workload with the pod as it is admitted, as far as that is known: with Knative's container
/// `queue-proxy` and its preferred anti-affinity [N14, N20], and what the admission plugins add
/// [P28, P29, P31], with the amounts of LimitRanges; never created if one of them rejects it. What
/// is not known is among its `unknown`.
Workload admitted_workload(const Workload& workload, const facts::ClusterFacts& facts,
                           Arena& arena);

}  // namespace cnsched
