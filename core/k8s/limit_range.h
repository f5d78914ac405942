#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/arena.h"
#include "core/k8s/object.h"
#include "core/k8s/pod_resources.h"
#include "core/k8s/pod_spec.h"

namespace cnsched::k8s {

/// The pod spec as the API server stores it: with its probable base, requests copied from limits,
/// and the defaults of the LimitRanges.
const yaml::Node& with_default_resources(const k8s::PodSpec& pod,
                                         const std::optional<k8s::ShippedBase>& base,
                                         const std::vector<const k8s::Object*>& limit_ranges,
                                         Arena& arena);

/// Why the API server rejects a pod.
struct Violation {
  /// In its words, after "is forbidden: ": "maximum cpu usage per Container is 2, but limit is 4".
  std::string reason;
  const k8s::Object* by = nullptr;
  const yaml::Node* in_pod = nullptr;  ///< an amount that violates it; null if it is missing
  /// Whether the pod is invalid with the defaults, and not forbidden.
  bool is_invalid = false;
};

/// How a pod with those defaults violates the LimitRanges; an empty reason if it does not.
Violation violation_of(const k8s::PodSpec& pod,
                       const std::vector<const k8s::Object*>& limit_ranges);

}  // namespace cnsched::k8s
