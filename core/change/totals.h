#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/change/verdict.h"
#include "core/facts/node_pools.h"
#include "core/sim/pod.h"
#include "core/sim/simulation.h"

namespace cnsched::change {

/// Prices per hour by resource and product: `prices` of the configuration.
using Prices = std::map<std::string, std::map<std::string, double, std::less<>>, std::less<>>;

/// An amount at the minimal and at the maximal number of replicas.
struct AmountRange {
  double min = 0;
  double max = 0;
  friend bool operator==(const AmountRange&, const AmountRange&) = default;
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
  AmountRange pods;
  AmountRange cpu;     ///< in cores
  AmountRange memory;  ///< in bytes
  std::map<AcceleratorKind, AmountRange> accelerators;

  /// Of one resource, at the maximal number of replicas.
  double accelerators_of(std::string_view resource) const;
  friend bool operator==(const Totals&, const Totals&) = default;
};

/// `verdicts`: of the simulation.
Totals totals_of(const sim::Simulation& simulation, Verdicts& verdicts);

/// The cost of the accelerators per hour.
struct Cost {
  AmountRange per_hour;
  std::vector<AcceleratorKind> unpriced{};  ///< without a price: not included
};
/// Nothing without prices.
std::optional<Cost> cost_of(const Totals& totals, const Prices& prices);

/// The accelerator of a node or of the nodes of a pool; empty if it is not known.
std::string product_of(const facts::NodePool& node);
/// The accelerator of a machine type; empty if it is not known.
std::string product_of_type(std::string_view type);
/// The accelerators of which the pod requires one; empty if it does not say.
std::set<std::string> products_required_by(const sim::Pod& pod);
/// The group of nodes that a node belongs to by its labels, or the name of a pool. Empty for a Node
/// that is in none.
std::string_view pool_of(const facts::NodePool& node);

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
