#pragma once

#include <vector>

#include "core/k8s/pod_spec.h"

namespace cnsched::k8s {

/// The pod-level `resources` that the API server rejects, limits first: all but cpu, memory and
/// huge pages [P38]. Source: k8s.io/kubernetes pkg/apis/core/validation, pod-level resources.
std::vector<ResourceAmount> rejected_at_pod_level(const PodSpec& pod);

}  // namespace cnsched::k8s
