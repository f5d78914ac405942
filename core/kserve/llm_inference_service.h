#pragma once

#include "core/kserve/llm_roles.h"

namespace cnsched::kserve {

/// `pod`, the merged spec of that role, with what KServe adds: the claim of a managed device, the
/// service account, the model.
const yaml::Node& finished_llm_pod(const yaml::Node& pod, LlmRole role, const LlmService& service,
                                   const ControllerContext& context);

/// Sets the pod's name, labels, annotations and replicas as KServe and its controllers do [K69,
/// K75]. Source: kserve pkg/controller/v1alpha2/llmisvc/{workload_single_node,
/// workload_multi_node,scheduler,tokenizer}.go.
void set_llm_metadata(k8s::PodTemplate& pod, LlmRole role, const LlmService& service, Arena& arena);

}  // namespace cnsched::kserve
