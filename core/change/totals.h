#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/change/prices.h"
#include "core/change/verdict.h"
#include "core/sim/simulation.h"

namespace cnsched::change {

/// An amount at the minimal and at the maximal number of replicas.
struct Range {
  double min = 0;
  double max = 0;
  friend bool operator==(const Range&, const Range&) = default;
};

/// Accelerators of one kind: by the resource, the product and the pool of their nodes.
struct AcceleratorKind {
  std::string resource;  ///< "nvidia.com/gpu"
  std::string product;   ///< "NVIDIA-L4"; empty: unknown, or several are possible
  std::string pool;      ///< of nodes; empty: unknown, or several are possible

  friend auto operator<=>(const AcceleratorKind&, const AcceleratorKind&) = default;
};

/// What all pods of a side request together.
struct Totals {
  Range pods;
  Range cpu;     ///< in cores
  Range memory;  ///< in bytes
  std::map<AcceleratorKind, Range> accelerators;

  /// Of one resource, at the maximal number of replicas.
  double accelerators_of(std::string_view resource) const;
  friend bool operator==(const Totals&, const Totals&) = default;
};

/// `verdicts`: of the simulation.
Totals totals_of(const sim::Simulation& simulation, Verdicts& verdicts);

/// The cost of the accelerators per hour.
struct Cost {
  Range per_hour;
  std::vector<AcceleratorKind> unpriced{};  ///< without a price: not included
};
/// Nothing without prices.
std::optional<Cost> cost_of(const Totals& totals, const Prices& prices);

}  // namespace cnsched::change
