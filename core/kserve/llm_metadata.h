#pragma once

#include "core/kserve/llm_roles.h"

namespace cnsched::kserve {

/// Sets what KServe and its controllers give a pod beside its spec: name, labels, annotations,
/// number [K69, K75]. Source: kserve pkg/controller/v1alpha2/llmisvc/{workload_single_node,
/// workload_multi_node,scheduler,tokenizer}.go.
void set_llm_metadata(k8s::PodTemplate& pod, LlmRole role, const LlmService& service, Arena& arena);

}  // namespace cnsched::kserve
