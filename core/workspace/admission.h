#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/arena.h"
#include "core/base/truth.h"
#include "core/k8s/pod_resources.h"
#include "core/workspace/known_objects.h"
#include "core/workspace/namespace_policy.h"
#include "core/workspace/pod_priority.h"
#include "core/workspace/workload.h"

namespace cnsched {

/// What is known of the API server's admission plugins, and of the objects that they read.
struct Admission {
  Truth extended_resource_toleration = Truth::unknown;  ///< whether that plugin is enabled
  /// RuntimeClasses of the cluster.
  std::vector<const k8s::Object*> runtime_classes;
  bool has_all_runtime_classes = false;  ///< the cluster has no others
  PriorityClasses priority_classes;
  PolicyObjects policies{};
  bool does_knative_spread = true;  ///< Knative adds an anti-affinity, from 1.15 [N20]

  /// Whether enough is known to reject a pod before it is scheduled.
  bool may_reject() const {
    return !policies.empty() || priority_classes.is_complete() || has_all_runtime_classes;
  }
};
Admission admission_of(const ClusterScope& scope, const facts::ClusterFacts& facts,
                       const KnownObjects& objects);
/// That of the pod's cluster.
Admission admission_for(const Workload& workload);

/// Why the API server does not create a pod.
struct NotCreated {
  std::string reason;  ///< "exceeded quota: gpus, requested: …"; empty: it creates it
  std::string event;   ///< the whole text, as the controller of the pod reports it
  const k8s::Object* by = nullptr;     ///< the LimitRange or ResourceQuota; null: another plugin
  const yaml::Node* in_pod = nullptr;  ///< what it rejects; null if that is not one value
};
/// That the API server rejects a pod of the workload, in its words and those of the controller.
NotCreated not_created(const Workload& workload, std::string reason, const k8s::Object* by);

/// A pod after admission, except by ResourceQuotas and Kueue: `render --admitted` prints it,
/// sim::Pod is made of it [P26, P28, P29, P31, P32].
struct AdmittedPod {
  /// With what Knative adds [N14, N20] and the amounts of LimitRanges, without what stands below.
  k8s::PodSpec spec{yaml::missing_node()};
  k8s::Unwritten unwritten{};                                ///< requests that `spec` lacks
  const yaml::Node* runtime_labels = &yaml::missing_node();  ///< the RuntimeClass adds them
  std::vector<k8s::Toleration> tolerations{};                ///< that are added for certain
  /// Those of the plugin ExtendedResourceToleration, if it is enabled.
  std::vector<k8s::Toleration> resource_tolerations{};
  PodPriority priority{};
  NamespacePolicy policy{};
  std::string unknown_runtime_class{};  ///< the one that the pod names, and may be in the cluster
  NotCreated not_created{};
};
/// `base`: the probable base of the pod, if its requests are to be assumed. `arena` must outlive
/// the pod.
AdmittedPod admit(const Workload& workload, const Admission& admission, Arena& arena,
                  const std::optional<k8s::ShippedBase>& base = {});

/// Why the RuntimeClass admission rejects the pod, whose RuntimeClass is one of these. Empty if it
/// does not.
std::string runtime_class_conflict(const k8s::PodSpec& pod,
                                   const std::vector<const k8s::Object*>& runtime_classes);

/// The workload with the whole pod as it is admitted. It is never created if the API server rejects
/// it; what is not known is among its `unknown`.
Workload admitted_workload(const Workload& workload, const Admission& admission, Arena& arena);

}  // namespace cnsched
