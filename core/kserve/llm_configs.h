#pragma once

#include <string_view>
#include <vector>

#include "core/k8s/workloads.h"
#include "core/kserve/controller_context.h"

namespace cnsched::kserve {

/// The parts of an LLMInferenceService that have presets. Without `prefill`, the decode pods also
/// prefill.
enum class LlmPart : unsigned char { any, decode, prefill, scheduler, tokenizer };

/// A config that KServe merges and that no manifest defines.
struct MissingConfig {
  LlmPart part = LlmPart::any;  ///< the part that is incomplete without it
  k8s::Unknown unknown;
};

/// The spec from which KServe builds the workloads of an LLMInferenceService.
struct LlmSpec {
  const yaml::Node* merged = &yaml::missing_node();
  std::vector<const k8s::Object*> configs;  ///< the bases, lowest priority first
  std::vector<MissingConfig> missing;

  bool lacks_preset_of(LlmPart part) const;
};

/// The spec of `service` merged over its `baseRefs`, and those over the KServe presets that the
/// fields of the service and its baseRefs select. Looks up a config in the service's namespace,
/// then in any, because KServe's own namespace is unknown. Omits presets of routes and tracing,
/// which set no pod fields [K62, K66]. Source: kserve
/// pkg/controller/v1alpha2/llmisvc/config_merge.go, combineBaseRefsConfig.
LlmSpec llm_spec(const k8s::Object& service, const ControllerContext& context);

/// Whether the scheduler refers to a user's InferencePool. KServe then creates no scheduler.
bool has_own_pool(const yaml::Node& scheduler);

}  // namespace cnsched::kserve
