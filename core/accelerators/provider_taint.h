#pragma once

#include "core/k8s/pod_spec.h"

namespace cnsched::accelerators {

/// Whether the pod can only run on nodes of a provider that taints its accelerator nodes by itself
/// with exactly this key and value: GKE sets nvidia.com/gpu=present and google.com/tpu=present.
/// Source: facts on accelerators, section 2.
bool is_set_by_provider(std::string_view key, std::string_view value, const k8s::PodSpec& pod);

}  // namespace cnsched::accelerators
