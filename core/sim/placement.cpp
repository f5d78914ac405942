#include "core/sim/placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "core/base/text.h"
#include "core/sim/gang.h"
#include "core/sim/nominated_pods.h"
#include "core/sim/resource_quota.h"

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

/// A pod that the API server may create uses resources.
Pod if_created(const Simulated& simulated) {
  Pod pod = simulated.pod;
  pod.creation_unknown.clear();
  return pod;
}

/// Places pods on a cluster that changes.
class Placer {
 public:
  explicit Placer(const Cluster& cluster)
      : cluster_(cluster), initial_(cluster), ledger_(cluster) {}

  /// Reduces `left` by the number of placed pods.
  Placement place(const Simulated& simulated, std::int64_t& left) {
    Placement placement{.replicas = replicas_of(simulated)};
    trial_.reset();
    const QuotaOutcome quota = create(simulated, placement.replicas);
    const Pod pod = if_created(simulated);
    while (static_cast<std::int64_t>(placement.nodes.size()) < quota.admitted) {
      if (left == 0) {
        placement.event = at_most();
        return placement;
      }
      auto step = place_one(pod, cluster_, placement.event);
      if (!step) return placement;
      placement.add(step->node, std::move(step->victims));
      --left;
    }
    if (placement.is_complete()) return placement;
    placement.obstacle = Placement::Obstacle::quota;
    placement.event = not_created(*simulated.workload, quota.rejected, quota.by).event;
    return placement;
  }

  /// Places the groups that are complete.
  void place(const Gang& gang, const std::vector<Simulated>& workloads, std::int64_t& left,
             std::vector<Placement>& placements) {
    GangState state{gang, {}, {}, 0};
    for (const Gang::Member& member : gang.members) {
      const Simulated& simulated = workloads[member.workload];
      state.workloads.push_back(&simulated);
      state.pods.push_back(if_created(simulated));
      Placement& placement = placements[member.workload];
      placement.replicas = replicas_of(simulated);
      placement.groups = gang.groups;
    }
    std::string why;
    std::int64_t group = 0;
    for (; group < gang.groups && why.empty(); ++group) {
      const std::int64_t others = gang.pods() * state.placed_groups;
      why = left - others < gang.pods() ? at_most() : place_group(state, group, placements);
    }
    for (const Gang::Member& member : gang.members) {
      left -= static_cast<std::int64_t>(placements[member.workload].nodes.size());
    }
    for (const Gang::Member& member : gang.members) {
      Placement& placement = placements[member.workload];
      placement.placed_groups = state.placed_groups;
      // The groups that follow are created, too.
      create(workloads[member.workload], (gang.groups - group) * member.pods);
      placement.note = gang.note(placement.is_complete());
      if (placement.is_complete()) continue;
      placement.event = why;
      placement.obstacle = Placement::Obstacle::group;
    }
  }

 private:
  struct Step {
    std::size_t member = 0;
    std::size_t node = 0;
    bool is_new = false;            ///< an autoscaled node is added for the pod
    std::vector<Victim> victims{};  ///< the pods that are evicted from the node
  };
  struct GangState {
    const Gang& gang;
    std::vector<const Simulated*> workloads;  ///< of the members
    std::vector<Pod> pods;
    std::int64_t placed_groups = 0;
  };

  static std::int64_t replicas_of(const Simulated& simulated) {
    return std::max<std::int64_t>(simulated.workload->replicas.value_or(1), 0);
  }
  static std::string at_most() {
    return fmt::format("at most {} replicas are placed", kMaxReplicas);
  }

  /// Charges the quotas with the pods that they admit.
  QuotaOutcome create(const Simulated& simulated, std::int64_t pods) {
    QuotaOutcome outcome{.admitted = pods, .rejected = {}, .by = nullptr, .unknown = {}};
    if (pods <= 0 || simulated.quota_demand.quotas.empty()) return outcome;
    outcome = ledger_.outcome(simulated.quota_demand, pods);
    ledger_.charge(simulated.quota_demand, outcome.admitted);
    return outcome;
  }

  /// Places the pod on the best node of `cluster`, or says in `event` why there is none.
  std::optional<Step> place_one(const Pod& pod, Cluster& cluster, std::string& event) {
    const Diagnosis diagnosis = diagnose(pod, cluster);
    Step step;
    auto node = best_of(pod, diagnosis);
    if (!node) {
      node = new_node(pod);
      step.is_new = node.has_value();
    }
    if (!node) node = evict_for(pod, diagnosis, cluster, step.victims, event);
    if (!node) return std::nullopt;
    step.node = *node;
    apply(step, pod, cluster);
    return step;
  }

  /// The pods to evict so that the pod fits on a node, or why that is not possible.
  std::optional<std::size_t> evict_for(const Pod& pod, const Diagnosis& diagnosis, Cluster& cluster,
                                       std::vector<Victim>& victims, std::string& event) {
    if (evictions_ == kMaxEvictions) {
      event = fmt::format("pods are evicted for at most {} replicas", kMaxEvictions);
      return std::nullopt;
    }
    Preemption preemption;
    if (diagnosis.fits_nowhere()) preemption = preempt(pod, diagnosis, cluster);
    if (!preemption.node) {
      event = event_of(diagnosis, preemption);
      return std::nullopt;
    }
    ++evictions_;
    victims = std::move(preemption.victims);
    return preemption.node;
  }

  static void apply(const Step& step, const Pod& pod, Cluster& cluster) {
    if (step.is_new) cluster.replace_node(step.node);
    for (const Victim& victim : step.victims) cluster.evict(victim.index);
    cluster.place(pod, step.node);
  }

  /// An autoscaled node that fits the pod.
  std::optional<std::size_t> new_node(const Pod& pod) const {
    const NodeSet feasible = Diagnosis(pod, initial_).feasible() & initial_.autoscaled();
    std::optional<std::size_t> node;
    feasible.each([&](std::size_t each) { node = node.value_or(each); });
    return node;
  }

  /// Why the group is not placed; empty if it is.
  std::string place_group(GangState& state, std::int64_t group,
                          std::vector<Placement>& placements) {
    const Gang& gang = state.gang;
    if (!trial_) trial_ = cluster_;
    std::vector<Step> steps;
    std::string first_obstacle;
    for (std::size_t m = 0; m < gang.members.size(); ++m) {
      const std::string obstacle = place_member(state, m, steps);
      if (first_obstacle.empty()) first_obstacle = obstacle;
    }
    const auto placed = static_cast<std::int64_t>(steps.size());
    const bool has_enough = placed >= gang.least;
    if (has_enough) {
      ++state.placed_groups;
      for (Step& step : steps) {
        apply(step, state.pods[step.member], cluster_);
        placements[gang.members[step.member].workload].add(step.node, std::move(step.victims));
      }
    } else {
      trial_.reset();
    }
    if (has_enough && first_obstacle.empty()) return {};
    if (gang.pods() < gang.least) {
      return fmt::format("{} waits for {} pods, but the manifests create only {}", gang.name(group),
                         gang.least, gang.pods());
    }
    return fmt::format(
        "{} finds room for {} of {} pods{}: {}", gang.name(group), placed, gang.pods(),
        gang.least < gang.pods() ? fmt::format(" and needs {}", gang.least) : "", first_obstacle);
  }

  /// Places one member's pods of a group on the trial cluster, and says why one has no place.
  std::string place_member(const GangState& state, std::size_t m, std::vector<Step>& steps) {
    const Gang::Member& member = state.gang.members[m];
    const Simulated& simulated = *state.workloads[m];
    const QuotaOutcome quota = create(simulated, member.pods);
    for (std::int64_t i = 0; i < quota.admitted; ++i) {
      std::string event;
      auto step = place_one(state.pods[m], *trial_, event);
      if (!step) return fmt::format("no node for {}: {}", described(*simulated.workload), event);
      step->member = m;
      steps.push_back(*std::move(step));
    }
    if (quota.admitted == member.pods) return {};
    return fmt::format("a pod of {} is not created: {}", described(*simulated.workload),
                       not_created(*simulated.workload, quota.rejected, quota.by).event);
  }

  /// "worker 'llama-kserve-mn'", "Job 'trainer'"
  static std::string described(const Workload& workload) {
    const bool is_leader = workload.component == "template";
    const std::string_view what = workload.component.empty() ? workload.object->kind
                                  : is_leader                ? std::string_view("leader")
                                                             : workload.component;
    return fmt::format("{} '{}'", what, printable(workload.name));
  }

  Cluster cluster_;
  const Cluster& initial_;
  std::size_t evictions_ = 0;
  QuotaLedger ledger_;
  std::optional<Cluster> trial_;  ///< a copy of `cluster_` for groups
};

/// By each member's index, its gang.
std::map<std::size_t, const Gang*> by_member(const std::vector<Gang>& gangs) {
  std::map<std::size_t, const Gang*> gang_of;
  for (const Gang& gang : gangs) {
    for (const Gang::Member& member : gang.members) gang_of.emplace(member.workload, &gang);
  }
  return gang_of;
}

}  // namespace

void Placement::add(std::size_t node, std::vector<Victim> victims) {
  nodes.push_back(node);
  if (!victims.empty()) evictions.push_back({node, std::move(victims)});
}

std::string Placement::why_incomplete() const {
  if (is_complete()) return {};
  switch (obstacle) {
    case Obstacle::group:
      return event;
    case Obstacle::quota:
      return "the next one is not created: " + event;
    case Obstacle::node:
      break;
  }
  return "the next one fits nowhere: " + event;
}

std::vector<Placement> place_all(const Simulation& simulation) {
  std::map<const Cluster*, Placer> placers;
  const std::vector<Simulated>& workloads = simulation.workloads();
  std::vector<Placement> placements(workloads.size());
  const std::vector<Gang> gangs = gangs_of(simulation);
  const std::map<std::size_t, const Gang*> gang_of = by_member(gangs);
  std::int64_t left = kMaxReplicas;
  for (std::size_t i = 0; i < workloads.size(); ++i) {
    const Simulated& simulated = workloads[i];
    if (!simulated.diagnosis) continue;
    Placer& placer = placers.try_emplace(simulated.cluster, *simulated.cluster).first->second;
    const auto gang = gang_of.find(i);
    if (gang == gang_of.end()) {
      placements[i] = placer.place(simulated, left);
    } else if (i == gang->second->members.front().workload) {
      placer.place(*gang->second, workloads, left, placements);
    }
  }
  return placements;
}

}  // namespace cnsched::sim
