#pragma once

#include <cstdint>
#include <optional>

#include "core/kserve/llm_configs.h"

namespace cnsched::kserve {

/// What a pod does in an LLMInferenceService. Without workers `serving` and `prefill` are pods of
/// Deployments, with them the leaders of groups, LeaderWorkerSets.
enum class LlmRole : unsigned char {
  serving,
  worker,
  prefill,
  prefill_worker,
  scheduler,
  tokenizer,
};

/// A service and the spec that KServe works with.
struct LlmService {
  const k8s::Object& object;
  LlmSpec spec;
  const yaml::Node& merged;  ///< the spec with its expressions filled in
};

LlmPart part_of(LlmRole role);
/// Whether KServe makes the pod for the model itself, not for the router.
bool is_workload(LlmRole role);
bool is_worker(LlmRole role);
/// Where the labels, replicas and parallelism of that role stand: the spec or its `prefill`; for
/// the router's pods their own section.
const yaml::Node& settings_of(LlmRole role, const LlmService& service);
/// Whether the role is one of a group of pods, leader or worker.
bool is_in_group(LlmRole role, const LlmService& service);
/// Whether the group has a leader of its own, or one that an unknown preset describes; otherwise a
/// worker leads it.
bool has_leader(LlmRole role, const LlmService& service);

}  // namespace cnsched::kserve
