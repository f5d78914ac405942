#pragma once

#include <cstdint>
#include <optional>

#include "core/yaml/node.h"

namespace cnsched::kserve {

/// How many GPUs vLLM takes in each pod of one part of an LLMInferenceService, and what says so.
struct VllmGpus {
  std::int64_t count = 1;
  const yaml::Node* tensor = nullptr;      ///< a missing node if it is not written
  const yaml::Node* data_local = nullptr;  ///< likewise
};

/// What KServe's presets hand on to vLLM of the parallelism in `settings`, the merged spec or its
/// `prefill`: `tensor`, and where there are workers `dataLocal`, which multiply. Nothing if neither
/// is written, if one is not a number, or if no preset hands on what is written [K67]. Source:
/// kserve config/llmisvcconfig/.
std::optional<VllmGpus> vllm_gpus_per_pod(const yaml::Node& settings);

}  // namespace cnsched::kserve
