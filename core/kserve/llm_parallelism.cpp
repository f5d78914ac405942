#include "core/kserve/llm_parallelism.h"

#include "core/yaml/scalar.h"

namespace cnsched::kserve {

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
