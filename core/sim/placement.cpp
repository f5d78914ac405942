#include "core/sim/placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "core/base/text.h"
#include "core/k8s/label.h"
#include "core/sim/gang.h"
#include "core/sim/nominated_pods.h"
#include "core/sim/resource_quota.h"

namespace cnsched::sim {

namespace {

/// More than the time that it takes to place one: the result has an entry for each.
constexpr std::uint64_t kStepsOfReplica = 1'000;
constexpr std::uint64_t kStepsOfCopy = 50;  ///< of a pod
/// What replicas may use of the steps that are left: the other pods, and their explanations, take
/// long only if there are many nodes or manifests.
constexpr std::uint64_t kPartForReplicas = 4;

/// Of these feasible nodes, the one with the highest score.
std::optional<std::size_t> best_of(const Pod& pod, const Cluster& cluster, const NodeSet& nodes) {
  if (nodes.empty()) return std::nullopt;
  const std::vector<std::int64_t> all = scores(pod, cluster, nodes);
  const auto best = std::ranges::max_element(all) - all.begin();
  std::optional<std::size_t> node;
  std::ptrdiff_t index = 0;
  nodes.each([&](std::size_t each) {
    if (index++ == best) node = each;
  });
  return node;
}

/// The machine type that a Node has by its labels.
std::string type_of(const facts::NodePool& node) {
  for (const k8s::Label& label : node.labels) {
    if (k8s::is_instance_type_label(label.key)) return std::string(label.value);
  }
  return "unknown type";
}

/// A pod that the API server may create uses resources.
Pod if_created(const Simulated& simulated) {
  Pod pod = simulated.pod;
  pod.creation_unknown.clear();
  return pod;
}

/// The nodes with their pods, and what autoscalers have added.
struct World {
  Cluster cluster;
  Autoscaler::Use use{};
  std::map<std::size_t, Autoscaler::AddedNode> open{};  ///< the last added node of each kind
  std::map<std::size_t, std::size_t> added{};           ///< nodes by their kind
};

/// Places pods on a cluster that changes.
class Placer {
 public:
  /// `autoscaler` is null if the cluster has no pools. Fills `placements`, which are in the order
  /// of `workloads`.
  Placer(const Cluster& cluster, const Autoscaler* autoscaler,
         const std::vector<Simulated>& workloads, std::vector<Placement>& placements)
      : autoscaler_(autoscaler),
        initial_(autoscaler != nullptr ? autoscaler->cluster() : cluster),
        world_{initial_},
        existing_(initial_.all() - initial_.autoscaled()),
        workloads_(workloads),
        placements_(placements),
        ledger_(cluster) {
    if (autoscaler != nullptr) world_.use = autoscaler->initial_use();
  }

  void place(std::size_t workload) {
    const Simulated& simulated = workloads_[workload];
    Placement& placement = begin(workload);
    trial_.reset();
    shared_.clear();
    const std::string& rejected = simulated.pod.not_created.event;
    if (!rejected.empty() && placement.replicas > 0) {
      placement.obstacle = Placement::Obstacle::rejected;
      placement.event = rejected;
      return;
    }
    const QuotaOutcome quota = create(simulated, placement.replicas);
    const Pod pod = if_created(simulated);
    while (static_cast<std::int64_t>(placement.nodes.size()) < quota.admitted) {
      auto step = place_one(pod, world_, placement.event);
      if (!step) return note_steps(placement);
      add(*std::move(step), workload);
    }
    if (placement.is_complete()) return;
    placement.obstacle = Placement::Obstacle::rejected;
    placement.event = not_created(*simulated.workload, quota.rejected, quota.by).event;
  }

  /// Places the groups that are complete.
  void place(const Gang& gang) {
    GangState state{gang, {}, {}, 0};
    for (const Gang::Member& member : gang.members) {
      const Simulated& simulated = workloads_[member.workload];
      state.workloads.push_back(&simulated);
      state.pods.push_back(if_created(simulated));
      begin(member.workload).groups = gang.groups;
    }
    std::string why;
    std::int64_t group = 0;
    for (; group < gang.groups && why.empty(); ++group) {
      why = place_group(state, group);
    }
    for (const Gang::Member& member : gang.members) {
      Placement& placement = placements_[member.workload];
      placement.placed_groups = state.placed_groups;
      // The groups that follow are created, too.
      create(workloads_[member.workload], (gang.groups - group) * member.pods);
      placement.note = gang.note(placement.is_complete());
      if (placement.is_complete()) continue;
      placement.event = why;
      placement.obstacle = Placement::Obstacle::group;
      note_steps(placement);
    }
  }

  /// Nodes by type; nothing if none was added.
  std::vector<NodeCount> counts() const {
    if (world_.added.empty()) return {};
    std::map<std::string, NodeCount> by_type;
    existing_.each([&](std::size_t node) {
      NodeCount& count = by_type[type_of(initial_.node(node))];
      ++count.before;
      ++count.after;
    });
    for (const auto& [option, number] : world_.added) {
      const NodeOption& of = autoscaler_->option(option);
      const std::string pool = facts::described(*of.pool);
      NodeCount& count = by_type[of.type_name.empty() ? pool : std::string(of.type_name)];
      count.after += number;
      if (std::ranges::find(count.pools, pool) == count.pools.end()) count.pools.push_back(pool);
    }
    std::vector<NodeCount> counts;
    for (auto& [type, count] : by_type) {
      count.type = type;
      counts.push_back(std::move(count));
    }
    return counts;
  }

 private:
  struct Step {
    std::size_t member = 0;
    std::size_t node = 0;
    bool is_new = false;            ///< an autoscaled node is added for the pod
    std::vector<Victim> victims{};  ///< the pods that are evicted from the node
    /// The added node with this pod too.
    std::optional<Autoscaler::AddedNode> added{};
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
  /// Without steps, it is not known whether another replica fits.
  void note_steps(Placement& placement) const {
    const Steps& steps = initial_.steps();
    if (!steps.are_spent()) return;
    placement.obstacle = Placement::Obstacle::unknown;
    placement.event = steps.text();
  }

  Placement& begin(std::size_t workload) {
    const Simulated& simulated = workloads_[workload];
    placed_.emplace(&simulated.pod.spec.node(), workload);
    Placement& placement = placements_[workload];
    placement.cluster = &initial_;
    placement.replicas = replicas_of(simulated);
    return placement;
  }

  /// Charges the quotas with the pods that they admit.
  QuotaOutcome create(const Simulated& simulated, std::int64_t pods) {
    QuotaOutcome outcome{.admitted = pods, .rejected = {}, .by = nullptr, .unknown = {}};
    if (pods <= 0 || simulated.quota_demand.quotas.empty()) return outcome;
    outcome = ledger_.outcome(simulated.quota_demand, pods);
    ledger_.charge(simulated.quota_demand, outcome.admitted);
    return outcome;
  }

  /// Places the pod on the best node of `world`, or says in `event` why there is none. As
  /// kube-scheduler evicts pods at once, autoscalers see only pods for which that does not help.
  std::optional<Step> place_one(const Pod& pod, World& world, std::string& event) {
    world.cluster.steps().spend(kStepsOfReplica);
    const Diagnosis diagnosis = diagnose(pod, world.cluster);
    const bool is_judged = diagnosis.failure().empty();
    std::optional<Step> step;
    Preemption preemption;
    refused_.clear();
    if (is_judged) step = on_existing_node(pod, diagnosis, world);
    if (!step) {
      preemption = preempt(pod, diagnosis, world.cluster);
      if (preemption.node) {
        step = Step{.node = *preemption.node, .victims = std::move(preemption.victims)};
      } else if (is_judged) {
        step = on_new_node(pod, world);
      }
      if (!step) {
        event = refused_.empty() ? event_of(diagnosis, preemption) : why_no_node_is_added();
      }
    }
    if (step) apply(*step, pod, world);
    return step;
  }

  /// The best node that exists or was added.
  std::optional<Step> on_existing_node(const Pod& pod, const Diagnosis& diagnosis,
                                       const World& world) {
    NodeSet nodes = diagnosis.feasible() & existing_;
    if (!world.open.empty()) {
      const NodeSet by_others = diagnosis.feasible_without(node_affinity);
      for (const auto& [node, added] : world.open) {
        const bool decides_labels = autoscaler_->is_of_karpenter(node);
        const bool is_feasible = (decides_labels ? by_others : diagnosis.feasible()).contains(node);
        if (is_feasible && (!decides_labels || shared(pod, node, added))) nodes.insert(node);
      }
    }
    const auto best = best_of(pod, world.cluster, nodes);
    if (!best) return std::nullopt;
    Step step{.node = *best};
    const auto found = shared_.find(*best);
    if (found != shared_.end()) step.added = found->second;
    return step;
  }

  /// The added node with another pod, if it can share it. All pods of a workload have the same
  /// requirements.
  const std::optional<Autoscaler::AddedNode>& shared(const Pod& pod, std::size_t node,
                                                     const Autoscaler::AddedNode& added) {
    const auto [known, is_new] = shared_.try_emplace(node);
    if (is_new) known->second = autoscaler_->shared_with(pod, node, added);
    return known->second;
  }

  /// A new node that fits the pod, with the pods that the cluster had at first: an autoscaler
  /// decides about many pods at once.
  std::optional<Step> on_new_node(const Pod& pod, const World& world) {
    if (autoscaler_ == nullptr) return std::nullopt;
    const Outlook outlook = autoscaler_->outlook(pod, world.use);
    const PoolOutlook* choice = outlook.choice();
    if (choice == nullptr || choice->verdict != Truth::yes) {
      note_refusals(outlook);
      return std::nullopt;
    }
    Step step{.node = *choice->option, .is_new = true};
    step.added = autoscaler_->added_for(pod, step.node);
    shared_.insert_or_assign(step.node, step.added);
    return step;
  }

  void note_refusals(const Outlook& outlook) {
    for (const PoolOutlook& of : outlook.pools) {
      if (of.reasons.empty()) continue;
      refused_.push_back(fmt::format("{}: {}", facts::described(*of.pool), of.reasons.front()));
    }
  }

  /// Without the scheduler's event: it would count each kind of node that could be added.
  std::string why_no_node_is_added() const {
    constexpr std::size_t kMaxShown = 3;
    std::string text = existing_.empty() ? "" : "no node that exists accepts it";
    for (std::size_t i = 0; i < std::min(refused_.size(), kMaxShown); ++i) {
      text += (text.empty() ? "" : "; ") + refused_[i];
    }
    return text;
  }

  void apply(const Step& step, const Pod& pod, World& world) const {
    if (step.is_new) {
      world.cluster.replace_node(step.node);
      autoscaler_->add_to(world.use, step.node);
      ++world.added[step.node];
    }
    if (step.added) world.open.insert_or_assign(step.node, *step.added);
    for (const Victim& victim : step.victims) world.cluster.end(victim.index);
    world.cluster.place(pod, step.node);
  }

  void add(Step step, std::size_t workload) {
    Placement& placement = placements_[workload];
    placement.nodes.push_back(step.node);
    for (const Victim& victim : step.victims) note_evicted(victim, step.node, workload);
    if (!step.victims.empty()) placement.evictions.push_back({step.node, std::move(step.victims)});
    if (!initial_.autoscaled().contains(step.node)) return;
    const std::string_view type = autoscaler_->option(step.node).type_name;
    if (!type.empty()) placement.types.try_emplace(step.node, type);
  }

  /// If the victim is a replica that was placed, its workload has one less.
  void note_evicted(const Victim& victim, std::size_t node, std::size_t evicted_for) {
    const auto workload = placed_.find(&world_.cluster.pods()[victim.index].pod.spec.node());
    if (workload == placed_.end()) return;
    Placement& placement = placements_[workload->second];
    placement.nodes.erase(std::ranges::find(placement.nodes, node));
    ++placement.evicted_for[described(*workloads_[evicted_for].workload)];
  }

  /// Why the group is not placed; empty if it is.
  std::string place_group(GangState& state, std::int64_t group) {
    const Gang& gang = state.gang;
    if (!trial_) {
      trial_ = world_;
      world_.cluster.steps().spend(kStepsOfCopy * world_.cluster.pods().size());
    }
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
        apply(step, state.pods[step.member], world_);
        const std::size_t workload = gang.members[step.member].workload;
        add(std::move(step), workload);
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
    const auto is_rejected = [&](const std::string& event) {
      return fmt::format("a pod of {} is not created: {}", described(*simulated.workload), event);
    };
    if (const std::string& event = simulated.pod.not_created.event; !event.empty()) {
      return is_rejected(event);
    }
    const QuotaOutcome quota = create(simulated, member.pods);
    shared_.clear();
    for (std::int64_t i = 0; i < quota.admitted; ++i) {
      std::string event;
      auto step = place_one(state.pods[m], *trial_, event);
      if (!step) return fmt::format("no node for {}: {}", described(*simulated.workload), event);
      step->member = m;
      steps.push_back(*std::move(step));
    }
    if (quota.admitted == member.pods) return {};
    return is_rejected(not_created(*simulated.workload, quota.rejected, quota.by).event);
  }

  /// "worker 'llama-kserve-mn'", "Job 'trainer'"
  static std::string described(const Workload& workload) {
    const bool is_leader = workload.component == "template";
    const std::string_view what = workload.component.empty() ? workload.object->kind
                                  : is_leader                ? std::string_view("leader")
                                                             : workload.component;
    return fmt::format("{} '{}'", what, printable(workload.name));
  }

  const Autoscaler* autoscaler_;
  const Cluster& initial_;
  World world_;
  NodeSet existing_;
  const std::vector<Simulated>& workloads_;
  std::vector<Placement>& placements_;
  std::map<const yaml::Node*, std::size_t> placed_{};  ///< by the specs of their pods
  /// The added nodes with a pod of the current workload, if it can share them.
  std::map<std::size_t, std::optional<Autoscaler::AddedNode>> shared_;
  std::vector<std::string> refused_;  ///< why no node is added for the current pod
  QuotaLedger ledger_;
  std::optional<World> trial_;  ///< a copy of `world_` for groups
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

std::string Placement::why_incomplete() const {
  std::vector<std::string> parts;
  if (!event.empty()) {
    const std::string_view what = obstacle == Obstacle::group      ? ""
                                  : obstacle == Obstacle::unknown  ? "the others are unknown: "
                                  : obstacle == Obstacle::rejected ? "the next one is not created: "
                                                                   : "the next one fits nowhere: ";
    parts.push_back(fmt::format("{}{}", what, event));
  }
  for (const auto& [other, count] : evicted_for) {
    parts.push_back(fmt::format("{} {} evicted for {}", count, count == 1 ? "is" : "are", other));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

Placements place_all(const Simulation& simulation, Autoscalers& autoscalers) {
  std::map<const Cluster*, Placer> placers;
  std::map<const Cluster*, std::size_t> first_workload;
  const std::vector<Simulated>& workloads = simulation.workloads();
  Placements placements;
  placements.of_workload.resize(workloads.size());
  const std::vector<Gang> gangs = gangs_of(simulation);
  const std::map<std::size_t, const Gang*> gang_of = by_member(gangs);
  Steps& steps = *simulation.options().steps;
  const std::uint64_t for_others = steps.left() - steps.left() / kPartForReplicas;
  steps.spend(for_others);
  for (std::size_t i = 0; i < workloads.size(); ++i) {
    const Simulated& simulated = workloads[i];
    if (!simulated.diagnosis) continue;
    const Cluster* cluster = simulated.cluster;
    if (!placers.contains(cluster)) {
      placers.try_emplace(cluster, *cluster, autoscalers.of(simulated), workloads,
                          placements.of_workload);
      first_workload.emplace(cluster, i);
    }
    Placer& placer = placers.at(cluster);
    const auto gang = gang_of.find(i);
    if (gang == gang_of.end()) {
      placer.place(i);
    } else if (i == gang->second->members.front().workload) {
      placer.place(*gang->second);
    }
  }
  steps.add(for_others);
  for (const auto& [cluster, first] : first_workload) {
    std::vector<NodeCount> counts = placers.at(cluster).counts();
    if (!counts.empty()) placements.nodes.emplace(first, std::move(counts));
  }
  return placements;
}

}  // namespace cnsched::sim
