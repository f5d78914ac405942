#pragma once

#include <cstdint>
#include <string>

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

}  // namespace cnsched::seldon
