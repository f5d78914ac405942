#pragma once

#include <vector>

#include "core/base/arena.h"
#include "core/k8s/object.h"
#include "core/k8s/pod_template.h"

namespace cnsched::kserve {

/// The pods that KServe makes from an InferenceService, InferenceGraph or LLMInferenceService, and
/// the fragments that a runtime or LLMInferenceServiceConfig contributes, as their own object
/// describes them. Nothing for other objects. New nodes are made in `arena`.
std::vector<k8s::PodTemplate> pod_templates(const k8s::Object& object, Arena& arena);

/// The name of the container that serves the model in a pod of an InferenceService.
inline constexpr std::string_view kServingContainer = "kserve-container";

}  // namespace cnsched::kserve
