#pragma once

#include <cstdint>
#include <optional>

#include "core/kserve/llm_configs.h"
#include "core/yaml/node.h"

namespace cnsched::kserve {

/// What a pod does in an LLMInferenceService. Without workers, `serving` and `prefill` are pods of
/// Deployments; with workers, they are the leaders of LeaderWorkerSets.
enum class LlmRole : unsigned char {
  serving,
  worker,
  prefill,
  prefill_worker,
  scheduler,
  tokenizer,
};

/// A service and the spec that KServe uses.
struct LlmService {
  const k8s::Object& object;
  LlmSpec spec;
  const yaml::Node& merged;  ///< the spec with its expressions evaluated
};

LlmPart part_of(LlmRole role);
/// Whether the pod serves the model, rather than the router.
bool is_workload(LlmRole role);
bool is_worker(LlmRole role);
/// The mapping with the labels, replicas and parallelism of that role: the spec or its `prefill`;
/// for the router's pods, their own section.
const yaml::Node& settings_of(LlmRole role, const LlmService& service);
/// Whether pods of that role are in a group, as leader or worker.
bool is_in_group(LlmRole role, const LlmService& service);
/// Whether the group has a separate leader, or one that an unknown preset describes; otherwise a
/// worker is the leader.
bool has_leader(LlmRole role, const LlmService& service);

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
