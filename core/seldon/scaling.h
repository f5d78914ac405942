#pragma once

#include <cstdint>
#include <string>

#include "core/yaml/node.h"

namespace cnsched::seldon {

/// How many pods a Server has at first.
struct Scaling {
  std::int64_t replicas = 1;
  /// Why the operator refuses the numbers, in its words; empty if it does not.
  std::string error;
};

/// Of `replicas`, `minReplicas` and `maxReplicas` in a Server's spec.
/// Source: seldon-core v2 operator/internal/utils.go, GetValidatedScalingSpec.
Scaling server_scaling(const yaml::Node& spec);

}  // namespace cnsched::seldon
