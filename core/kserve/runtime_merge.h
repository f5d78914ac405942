#pragma once

#include <string_view>

#include "core/kserve/controller_context.h"

namespace cnsched::kserve {

/// The pod fields of `patch` (a predictor or its workerSpec) merged over those of `spec` (a
/// runtime's or its workerSpec), without containers. Which fields a runtime passes on depends on
/// the release [K9, K10, K11, K12, K13]. Source: kserve
/// pkg/controller/v1beta1/inferenceservice/utils/utils.go, MergePodSpec.
const yaml::Node& merge_pod_fields(const yaml::Node& spec, const yaml::Node& patch,
                                   const ControllerContext& context);

/// The container of an InferenceService merged over a runtime's: a strategic merge, but `args` are
/// concatenated and the runtime's name stays [K14, K15]. Source: the same, MergeRuntimeContainers,
/// and pkg/utils/container_merge.go.
const yaml::Node& merge_container(const yaml::Node& base, const yaml::Node& patch, Arena& arena);

}  // namespace cnsched::kserve
