#pragma once

#include <vector>

#include "core/k8s/pod_template.h"
#include "core/kserve/surroundings.h"

namespace cnsched::kserve {

/// The pods of an LLMInferenceService, its `baseRefs` merged beneath. Source: kserve
/// pkg/controller/v1alpha2/llmisvc/.
std::vector<k8s::PodTemplate> llm_inference_service_pods(const k8s::Object& object,
                                                         const Surroundings& around);
/// The pod specs that an LLMInferenceServiceConfig contributes, by the same components.
std::vector<k8s::PodTemplate> llm_inference_service_fragments(const k8s::Object& object);

}  // namespace cnsched::kserve
