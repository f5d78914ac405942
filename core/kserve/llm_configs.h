#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/k8s/workloads.h"
#include "core/kserve/controller_context.h"
#include "core/yaml/node.h"

namespace cnsched::kserve {

/// The parts of an LLMInferenceService that have presets. Without `prefill`, the decode pods also
/// prefill.
enum class LlmPart : unsigned char { any, decode, prefill, scheduler, tokenizer };

/// A config that KServe merges and that no manifest defines.
struct MissingConfig {
  LlmPart part = LlmPart::any;  ///< the part that is incomplete without it
  k8s::Unknown unknown;
  std::string unshipped{};  ///< the name of the preset, if no release of KServe ships it
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
  const yaml::Node* pipeline = nullptr;    ///< of 2 or more that vLLM does not get; or null
  bool passes_tensor = true;               ///< whether KServe's preset does
};

/// The GPUs that follow from the parallelism that KServe's presets pass to vLLM. `settings` is the
/// merged spec or its `prefill`. The number is `tensor`, multiplied by `dataLocal` if there are
/// workers; without workers no preset passes `pipeline` on, nor up to 0.19 `tensor`, which is 1.
/// Nothing if neither is set, if one is not a number, or if no preset passes them on [K67]. Source:
/// kserve config/llmisvcconfig/.
std::optional<VllmGpus> vllm_gpus_per_pod(const yaml::Node& settings,
                                          const std::optional<Version>& release);

}  // namespace cnsched::kserve
