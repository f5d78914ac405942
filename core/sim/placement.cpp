#include "core/sim/placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "core/sim/nominated_pods.h"

namespace cnsched::sim {

namespace {

/// For all workloads together, because a manifest may request any number.
constexpr std::int64_t kMaxReplicas = 50'000;
/// Preemption is much slower than placement.
constexpr std::size_t kMaxEvictions = 1'000;

/// The feasible node with the highest score.
std::optional<std::size_t> best_of(const Pod& pod, const Diagnosis& diagnosis) {
  if (diagnosis.fits_nowhere() || diagnosis.feasible().empty()) return std::nullopt;
  const std::vector<std::int64_t> all = scores(pod, diagnosis.cluster(), diagnosis.feasible());
  const auto best = std::ranges::max_element(all) - all.begin();
  std::optional<std::size_t> node;
  std::ptrdiff_t index = 0;
  diagnosis.feasible().each([&](std::size_t each) {
    if (index++ == best) node = each;
  });
  return node;
}

class Placer {
 public:
  explicit Placer(const Cluster& cluster) : cluster_(cluster), initial_(cluster) {}

  /// Reduces `left` by the number of placed pods.
  Placement place(const Simulated& simulated, std::int64_t& left) {
    Placement placement{.replicas =
                            std::max<std::int64_t>(simulated.workload->replicas.value_or(1), 0)};
    // A pod that may be created uses resources.
    Pod pod = simulated.pod;
    pod.creation_unknown.clear();
    while (!placement.is_complete()) {
      if (left == 0) {
        placement.event = fmt::format("at most {} replicas are placed", kMaxReplicas);
        break;
      }
      const Diagnosis diagnosis = diagnose(pod, cluster_);
      auto node = best_of(pod, diagnosis);
      if (!node) node = add_node(pod);
      if (!node) node = evict_for(pod, diagnosis, placement);
      if (!node) break;
      cluster_.place(pod, *node);
      placement.nodes.push_back(*node);
      --left;
    }
    return placement;
  }

 private:
  /// Evicts pods so that the pod fits on a node, or says why that is not possible.
  std::optional<std::size_t> evict_for(const Pod& pod, const Diagnosis& diagnosis,
                                       Placement& placement) {
    if (evictions_ == kMaxEvictions) {
      placement.event = fmt::format("pods are evicted for at most {} replicas", kMaxEvictions);
      return std::nullopt;
    }
    Preemption preemption;
    if (diagnosis.fits_nowhere()) preemption = preempt(pod, diagnosis, cluster_);
    if (!preemption.node) {
      placement.event = event_of(diagnosis, preemption);
      return std::nullopt;
    }
    ++evictions_;
    for (const Victim& victim : preemption.victims) cluster_.evict(victim.index);
    placement.evictions.push_back({*preemption.node, std::move(preemption.victims)});
    return preemption.node;
  }

  /// Adds an autoscaled node that fits the pod.
  std::optional<std::size_t> add_node(const Pod& pod) {
    const NodeSet feasible = Diagnosis(pod, initial_).feasible() & initial_.autoscaled();
    std::optional<std::size_t> node;
    feasible.each([&](std::size_t each) { node = node.value_or(each); });
    if (node) cluster_.replace_node(*node);
    return node;
  }

  Cluster cluster_;
  const Cluster& initial_;
  std::size_t evictions_ = 0;
};

}  // namespace

std::vector<Placement> place_all(const Simulation& simulation) {
  std::map<const Cluster*, Placer> placers;
  std::vector<Placement> placements;
  std::int64_t left = kMaxReplicas;
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
