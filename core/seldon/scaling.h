#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/yaml/node.h"

namespace cnsched::seldon {

/// The initial number of pods of a Server.
struct Scaling {
  std::int64_t replicas = 1;
  /// The operator's error for invalid numbers; empty if they are valid.
  std::string error;
};

/// Of `replicas`, `minReplicas` and `maxReplicas` in a Server's spec [S36]. Source: seldon-core v2
/// operator/internal/utils.go, GetValidatedScalingSpec.
Scaling server_scaling(const yaml::Node& spec);

/// The kind of the objects that limit the replicas of a SeldonRuntime's component: "Model" or
/// "Pipeline"; empty if nothing does [S66]. Source: seldon-core v2
/// operator/controllers/reconcilers/seldon/runtime_reconciler.go.
std::string_view limiting_kind(std::string_view component);

/// The most replicas that the operator gives such a component in a namespace with `count` objects
/// of the kind. `pod_spec` is the component's, `pipelines` is `config.scalingConfig.pipelines`.
std::int64_t most_replicas(std::string_view component, std::int64_t count,
                           const yaml::Node& pod_spec, const yaml::Node& pipelines);

}  // namespace cnsched::seldon
