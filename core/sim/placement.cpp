#include "core/sim/placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "core/sim/score.h"

namespace cnsched::sim {

namespace {

/// Of all workloads together. Nobody has more, and a manifest may ask for any number.
constexpr std::int64_t kMostReplicas = 50'000;

/// The feasible node that the pod prefers.
std::optional<std::size_t> best_of(const Pod& pod, const Diagnosis& diagnosis) {
  if (diagnosis.fits_nowhere() || diagnosis.feasible().empty()) return std::nullopt;
  const std::vector<std::int64_t> all = scores(pod, diagnosis.cluster(), diagnosis.feasible());
  const auto best = std::ranges::max_element(all) - all.begin();
  std::optional<std::size_t> node;
  std::ptrdiff_t place = 0;
  diagnosis.feasible().each([&](std::size_t each) {
    if (place++ == best) node = each;
  });
  return node;
}

class Placer {
 public:
  explicit Placer(const Cluster& cluster) : cluster_(cluster), fresh_(cluster) {}

  /// Each pod that is placed is taken off `left`.
  Placement place(const Simulated& simulated, std::int64_t& left) {
    Placement placement{.wanted =
                            std::max<std::int64_t>(simulated.workload->replicas.value_or(1), 0)};
    while (!placement.is_complete()) {
      if (left == 0) {
        placement.event = fmt::format("more than {} replicas are not placed", kMostReplicas);
        break;
      }
      const Diagnosis diagnosis(simulated.pod, cluster_);
      auto node = best_of(simulated.pod, diagnosis);
      if (!node) node = open_another(simulated.pod);
      if (!node) {
        placement.event = diagnosis.event();
        break;
      }
      cluster_.place(simulated.pod, *node);
      placement.nodes.push_back(*node);
      --left;
    }
    return placement;
  }

 private:
  /// A new node of a pool that would have room for the pod.
  std::optional<std::size_t> open_another(const Pod& pod) {
    const NodeSet feasible = Diagnosis(pod, fresh_).feasible() & fresh_.elastic();
    std::optional<std::size_t> node;
    feasible.each([&](std::size_t each) { node = node.value_or(each); });
    if (node) cluster_.renew(*node);
    return node;
  }

  Cluster cluster_;
  const Cluster& fresh_;
};

}  // namespace

std::vector<Placement> place_all(const Simulation& simulation) {
  std::map<const Cluster*, Placer> placers;
  std::vector<Placement> placements;
  std::int64_t left = kMostReplicas;
  for (const Simulated& simulated : simulation.workloads()) {
    if (!simulated.diagnosis) {
      placements.emplace_back();
      continue;
    }
    Placer& placer = placers.try_emplace(simulated.cluster, *simulated.cluster).first->second;
    placements.push_back(placer.place(simulated, left));
  }
  return placements;
}

}  // namespace cnsched::sim
