#pragma once

#include <string_view>

#include "core/kserve/surroundings.h"

namespace cnsched::kserve {

/// The pod fields of `spec` (a runtime's or its workerSpec) with those of `patch` (a predictor or
/// its workerSpec) on top; containers are left out. Which fields a runtime hands on depends on the
/// release. Source: kserve pkg/controller/v1beta1/inferenceservice/utils/utils.go, MergePodSpec.
const yaml::Node& merge_pod_fields(const yaml::Node& spec, const yaml::Node& patch,
                                   const Surroundings& around);

/// A runtime's container with the one of an InferenceService on top: a strategic merge, but `args`
/// are joined and the name stays. Source: the same, MergeRuntimeContainers, and
/// pkg/utils/container_merge.go.
const yaml::Node& merge_container(const yaml::Node& base, const yaml::Node& patch, Arena& arena);

}  // namespace cnsched::kserve
