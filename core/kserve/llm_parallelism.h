#pragma once

#include <cstdint>
#include <optional>

#include "core/yaml/node.h"

namespace cnsched::kserve {

/// The number of GPUs that vLLM uses in each pod of one part of an LLMInferenceService, and the
/// fields that set it.
struct VllmGpus {
  std::int64_t count = 1;
  const yaml::Node* tensor = nullptr;      ///< a missing node if it is not set
  const yaml::Node* data_local = nullptr;  ///< likewise
};

/// The GPUs that follow from the parallelism that KServe's presets pass to vLLM. `settings` is the
/// merged spec or its `prefill`. The number is `tensor`, multiplied by `dataLocal` if there are
/// workers. Nothing if neither is set, if one is not a number, or if no preset passes them on
/// [K67]. Source: kserve config/llmisvcconfig/.
std::optional<VllmGpus> vllm_gpus_per_pod(const yaml::Node& settings);

}  // namespace cnsched::kserve
