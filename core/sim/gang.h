#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/sim/simulation.h"

namespace cnsched::sim {

/// Pods that serve only together: the groups of an LLMInferenceService or an InferenceService with
/// workers, and the pods of a PodGroup.
struct Gang {
  struct Member {
    std::size_t workload = 0;  ///< its index in the simulation
    std::int64_t pods = 0;     ///< in each group
  };
  std::vector<Member> members;
  std::int64_t groups = 1;
  std::int64_t least = 0;        ///< the pods of a group that must find room at once
  std::string_view pod_group{};  ///< the PodGroup; empty if a controller makes the groups

  /// The topology in which LeaderWorkerSet places a group alone; empty if it does not.
  std::string_view exclusive_topology{};

  std::int64_t pods() const;  ///< in each group
  /// "group 2 of 3", "PodGroup 'trainer'"
  std::string name(std::int64_t group) const;
  /// How kube-scheduler treats the pods of an incomplete group, and what is not simulated; empty if
  /// there is nothing to say.
  std::string note(bool is_complete) const;
};

/// The gangs of the workloads, by their first member.
std::vector<Gang> gangs_of(const Simulation& simulation);

}  // namespace cnsched::sim
