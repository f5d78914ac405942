#pragma once

#include <vector>

#include "core/k8s/pod_spec.h"

namespace cnsched::k8s {

/// What the pod's own `resources` hold, limits first, although only containers can ask for it: all
/// but cpu, memory and huge pages. Source: k8s.io/kubernetes pkg/apis/core/validation, pod-level
/// resources.
std::vector<ResourceAmount> refused_at_pod_level(const PodSpec& pod);

}  // namespace cnsched::k8s
