#pragma once

#include <cstdint>

#include "core/sim/simulation.h"

namespace cnsched::change {

/// How many pods a workload has.
struct Replicas {
  bool is_known = true;  ///< false: a controller decides, as of a DaemonSet
  std::int64_t min = 1;
  std::int64_t max = 1;
  const yaml::Node* min_node = nullptr;  ///< null: the default
  const yaml::Node* max_node = nullptr;
};

Replicas replicas_of(const sim::Simulated& pod);

}  // namespace cnsched::change
