#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/sim/simulation.h"

namespace cnsched::change {

/// A pod of one side or of both, by its indices in the simulations.
struct PodPair {
  std::optional<std::size_t> before;
  std::optional<std::size_t> after;
  bool is_renamed = false;
};

/// Matches the pods of two simulations by scope, kind, namespace, name and component, then those
/// that are nearly equal but for their names. Sorted by these. Mirrors with its arguments.
std::vector<PodPair> match_pods(const sim::Simulation& before, const sim::Simulation& after);

}  // namespace cnsched::change
