#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/k8s/objects.h"
#include "core/sim/pod.h"
#include "core/workspace/workload.h"

namespace cnsched::sim {

/// One ResourceFlavor for each resource group that the pod needs: what Kueue may assign to it.
struct FlavorChoice {
  std::vector<const k8s::Object*> flavors;  ///< empty: Kueue does not manage the pod

  /// "'a100' and 'default'"; "without Kueue".
  std::string text() const;
};

/// What Kueue does with a pod.
struct QueueOutlook {
  std::string_view queue;  ///< the name of the LocalQueue; empty: no queue manages the pod
  /// An object without which the flavors are not known: "LocalQueue 'gpus'". Empty if there is
  /// none.
  std::string unknown;
  std::string blocked;  ///< why Kueue never admits the pod; empty if it may
  /// What Kueue may assign, in the order in which it tries flavors. Empty without a queue, or if
  /// they are not known or none is possible.
  std::vector<FlavorChoice> choices;
  bool is_cut = false;  ///< whether further choices are left out
};

/// The label that puts the pod into a queue, on the object whose pods they are if Kueue manages its
/// kind, else on the pods; a missing node if there is none [K95].
const yaml::Node& queue_label(const Workload& workload);

/// The queue that manages `pod`, a pod of `workload`, and the flavors that it can get [K95, K96,
/// K97]. Follows the newest rule for selectors, which excludes the fewest flavors. Source:
/// kubernetes-sigs/kueue pkg/scheduler/flavorassigner/flavorassigner.go.
QueueOutlook queue_outlook(const Workload& workload, const Pod& pod, const k8s::Objects& objects);

/// The pod after Kueue has started it with these flavors [K98]. Source: kubernetes-sigs/kueue
/// pkg/podset/podset.go.
Pod with_flavors(Pod pod, const FlavorChoice& choice, const Workload& workload,
                 const k8s::Objects& objects);

}  // namespace cnsched::sim
