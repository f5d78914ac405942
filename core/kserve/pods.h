#pragma once

#include <vector>

#include "core/k8s/pod_template.h"
#include "core/kserve/surroundings.h"

namespace cnsched::kserve {

/// The effective pods that KServe makes from an InferenceService, InferenceGraph or
/// LLMInferenceService, and the fragments that a runtime or LLMInferenceServiceConfig contributes.
/// Nothing for other objects. Left out is what KServe adds that no scheduler looks at: probes and
/// environment variables.
std::vector<k8s::PodTemplate> pod_templates(const k8s::Object& object, const Surroundings& around);

}  // namespace cnsched::kserve
