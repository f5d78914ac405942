#include "core/seldon/scaling.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "core/k8s/pod_spec.h"
#include "core/yaml/scalar.h"

namespace cnsched::seldon {

Scaling server_scaling(const yaml::Node& spec) {
  const auto written = yaml::integer_of(spec["replicas"]);
  const std::int64_t least = yaml::integer_of(spec["minReplicas"]).value_or(0);
  const std::int64_t most = yaml::integer_of(spec["maxReplicas"]).value_or(0);
  const std::int64_t replicas = written.value_or(least > 0 ? least : 1);
  const auto invalid = [&](const std::string& why) {
    return Scaling{replicas, "scaling spec is invalid: " + why};
  };
  if (least > 0 && replicas < least) {
    return invalid(
        fmt::format("number of replicas {} must be >= min replicas {}", replicas, least));
  }
  if (least > 0 && most > 0 && least > most) {
    return invalid(
        fmt::format("min number of replicas {} must be <= max number of replicas {}", least, most));
  }
  if (most > 0 && replicas > most) {
    return invalid(fmt::format("number of replicas {} must be <= max replicas {}", replicas, most));
  }
  return {replicas, {}};
}

namespace {

/// A component of a SeldonRuntime that shares its work out by Models or Pipelines.
struct LimitedComponent {
  std::string_view name;
  std::string_view kind;
  std::string_view variable;  ///< that replaces the largest number of consumers; may be empty
};

constexpr auto kLimited = std::to_array<LimitedComponent>(
    {{"seldon-dataflow-engine", "Pipeline", ""},
     {"seldon-pipelinegateway", "Pipeline", "PIPELINEGATEWAY_MAX_NUM_CONSUMERS"},
     {"seldon-modelgateway", "Model", "MODELGATEWAY_MAX_NUM_CONSUMERS"}});

const LimitedComponent* find_limited(std::string_view name) {
  const auto* found = std::ranges::find(kLimited, name, &LimitedComponent::name);
  return found == kLimited.end() ? nullptr : found;
}

/// The variable of the first container, if it is a number, else the default.
std::int64_t most_consumers(std::string_view variable, const yaml::Node& pod_spec) {
  constexpr std::int64_t kDefault = 100;
  const yaml::Node& variables = pod_spec["containers"].at(0)["env"];
  const std::string_view text = k8s::item_named(variables, variable)["value"].text();
  const auto number = whole_number<std::int64_t>(text);
  return number && *number > 0 ? *number : kDefault;
}

}  // namespace

std::string_view limiting_kind(std::string_view component) {
  const LimitedComponent* limited = find_limited(component);
  return limited == nullptr ? std::string_view() : limited->kind;
}

std::int64_t most_replicas(std::string_view component, std::int64_t count,
                           const yaml::Node& pod_spec, const yaml::Node& pipelines) {
  if (count == 0) return 1;
  const std::int64_t written = yaml::integer_of(pipelines["maxShardCountMultiplier"]).value_or(0);
  const std::int64_t shards =
      pipelines.is_mapping() ? std::clamp<std::int64_t>(written, 0, INT32_MAX) : 1;
  const std::string_view variable = find_limited(component)->variable;
  return shards * std::min(count, most_consumers(variable, pod_spec));
}

}  // namespace cnsched::seldon
