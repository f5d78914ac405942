#pragma once

#include <string_view>
#include <vector>

#include "core/k8s/pod_template.h"
#include "core/kserve/controller_context.h"

namespace cnsched::kserve {

/// The parts of an LLMInferenceService that presets are for. Without `prefill`, the decode pods
/// also prefill.
enum class LlmPart : unsigned char { any, decode, prefill, scheduler, tokenizer };

/// A config that KServe merges and that is not known.
struct MissingConfig {
  LlmPart part = LlmPart::any;  ///< that is incomplete without it
  k8s::Unknown unknown;
};

/// The spec from which KServe builds the workloads of an LLMInferenceService.
struct LlmSpec {
  const yaml::Node* merged = &yaml::missing_node();
  std::vector<const k8s::Object*> configs;  ///< the bases, the weakest first
  std::vector<MissingConfig> missing;

  bool lacks_preset_of(LlmPart part) const;
};

/// The spec of `service` over its `baseRefs`, and those over KServe's presets for what the service
/// and its baseRefs ask for. A config is looked up in the service's namespace, then in any: which
/// one is KServe's own is not known. Presets of routes and tracing are left out, no pod field comes
/// from them [K62, K66]. Source: kserve pkg/controller/v1alpha2/llmisvc/config_merge.go,
/// combineBaseRefsConfig.
LlmSpec llm_spec(const k8s::Object& service, const ControllerContext& context);

/// Whether the scheduler belongs to an InferencePool of the user: KServe then creates none.
bool has_own_pool(const yaml::Node& scheduler);

}  // namespace cnsched::kserve
