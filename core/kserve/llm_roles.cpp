#include "core/kserve/llm_roles.h"

#include "core/yaml/scalar.h"

namespace cnsched::kserve {

LlmPart part_of(LlmRole role) {
  switch (role) {
    case LlmRole::serving:
    case LlmRole::worker:
      return LlmPart::decode;
    case LlmRole::prefill:
    case LlmRole::prefill_worker:
      return LlmPart::prefill;
    case LlmRole::scheduler:
      return LlmPart::scheduler;
    case LlmRole::tokenizer:
      return LlmPart::tokenizer;
  }
  return LlmPart::any;
}

bool is_workload(LlmRole role) {
  return part_of(role) == LlmPart::decode || part_of(role) == LlmPart::prefill;
}

bool is_worker(LlmRole role) { return role == LlmRole::worker || role == LlmRole::prefill_worker; }

const yaml::Node& settings_of(LlmRole role, const LlmService& service) {
  const yaml::Node& scheduler = service.merged["router"]["scheduler"];
  switch (part_of(role)) {
    case LlmPart::prefill:
      return service.merged["prefill"];
    case LlmPart::scheduler:
      return scheduler;
    case LlmPart::tokenizer:
      return scheduler["tokenizer"];
    case LlmPart::any:
    case LlmPart::decode:
      break;
  }
  return service.merged;
}

bool is_in_group(LlmRole role, const LlmService& service) {
  return is_workload(role) && settings_of(role, service)["worker"].is_mapping();
}

bool has_leader(LlmRole role, const LlmService& service) {
  return settings_of(role, service)["template"].is_mapping() ||
         service.spec.lacks_preset_of(part_of(role));
}

namespace {

/// A degree of parallelism: 1 if it is not set, nothing if it is not valid.
std::optional<std::int64_t> degree_in(const yaml::Node& value) {
  constexpr std::int64_t kMaxSize = 100'000;  // products cannot overflow
  if (!value) return 1;
  const auto number = yaml::integer_of(value);
  if (!number || *number < 1 || *number > kMaxSize) return std::nullopt;
  return number;
}

}  // namespace

std::optional<VllmGpus> vllm_gpus_per_pod(const yaml::Node& settings) {
  const yaml::Node& parallelism = settings["parallelism"];
  const yaml::Node& tensor = parallelism["tensor"];
  const yaml::Node& local = parallelism["dataLocal"];
  // The presets for one node use only the tensor parallelism.
  const bool needs_workers = local || parallelism["data"] || parallelism["pipeline"];
  if (needs_workers && !settings["worker"].is_mapping()) return std::nullopt;
  const auto by_tensor = degree_in(tensor);
  const auto by_data = degree_in(local);
  if ((!tensor && !local) || !by_tensor || !by_data) return std::nullopt;
  return VllmGpus{*by_tensor * *by_data, &tensor, &local};
}

}  // namespace cnsched::kserve
