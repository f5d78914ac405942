#include "core/sim/placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "core/k8s/node_label.h"

namespace cnsched::sim {

namespace {

/// For all workloads together, because a manifest may request any number.
constexpr std::int64_t kMaxReplicas = 50'000;

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
std::string type_of(const NodePool& node) {
  for (const k8s::Label& label : node.labels) {
    if (k8s::is_instance_type_label(label.key)) return std::string(label.value);
  }
  return "unknown type";
}

class Placer {
 public:
  /// `autoscaler` is null if the cluster has no pools.
  Placer(const Cluster& cluster, const Autoscaler* autoscaler)
      : autoscaler_(autoscaler),
        initial_(autoscaler != nullptr ? autoscaler->cluster() : cluster),
        cluster_(initial_),
        existing_(initial_.all() - initial_.autoscaled()) {
    if (autoscaler != nullptr) use_ = autoscaler->initial_use();
  }

  /// Reduces `left` by the number of placed pods.
  Placement place(const Simulated& simulated, std::int64_t& left) {
    Placement placement{
        .cluster = &initial_,
        .replicas = std::max<std::int64_t>(simulated.workload->replicas.value_or(1), 0)};
    // A pod that may be created uses resources.
    Pod pod = simulated.pod;
    pod.creation_unknown.clear();
    shared_.clear();
    while (!placement.is_complete()) {
      if (left == 0) {
        placement.event = fmt::format("at most {} replicas are placed", kMaxReplicas);
        break;
      }
      const Diagnosis diagnosis(pod, cluster_);
      auto node = diagnosis.failure().empty() ? existing_node(pod, diagnosis) : std::nullopt;
      if (!node && diagnosis.failure().empty()) node = add_node(pod);
      if (!node) {
        placement.event = why_not_placed(diagnosis);
        break;
      }
      cluster_.place(pod, *node);
      const auto shared = shared_.find(*node);
      if (shared != shared_.end() && shared->second) open_.insert_or_assign(*node, *shared->second);
      placement.nodes.push_back(*node);
      if (initial_.autoscaled().contains(*node)) {
        const std::string_view type = autoscaler_->option(*node).type_name;
        if (!type.empty()) placement.types.try_emplace(*node, type);
      }
      --left;
    }
    return placement;
  }

  /// Nodes by type; nothing if none was added.
  std::vector<NodeCount> counts() const {
    if (added_.empty()) return {};
    std::map<std::string, NodeCount> by_type;
    existing_.each([&](std::size_t node) {
      NodeCount& count = by_type[type_of(initial_.node(node))];
      ++count.before;
      ++count.after;
    });
    for (const auto& [option, number] : added_) {
      const NodeOption& of = autoscaler_->option(option);
      const std::string pool = described(*of.pool);
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
  /// The best node that exists or was added.
  std::optional<std::size_t> existing_node(const Pod& pod, const Diagnosis& diagnosis) {
    NodeSet nodes = diagnosis.feasible() & existing_;
    if (!open_.empty()) {
      const NodeSet by_others = diagnosis.feasible_without(node_affinity);
      for (const auto& [node, added] : open_) {
        const bool decides_labels = autoscaler_->is_of_karpenter(node);
        const bool is_feasible = (decides_labels ? by_others : diagnosis.feasible()).contains(node);
        if (!is_feasible || (decides_labels && !can_share(pod, node, added))) continue;
        nodes.insert(node);
      }
    }
    return best_of(pod, cluster_, nodes);
  }

  /// All pods of a workload have the same requirements.
  bool can_share(const Pod& pod, std::size_t node, const Autoscaler::AddedNode& added) {
    const auto [known, is_new] = shared_.try_emplace(node);
    if (is_new) known->second = autoscaler_->shared_with(pod, node, added);
    return known->second.has_value();
  }

  /// Adds a node that fits the pod, with the pods that the cluster had at first: an autoscaler
  /// decides about many pods at once.
  std::optional<std::size_t> add_node(const Pod& pod) {
    refused_.clear();
    if (autoscaler_ == nullptr) return std::nullopt;
    const Outlook outlook = autoscaler_->outlook(pod, use_);
    const PoolOutlook* choice = outlook.choice();
    if (choice == nullptr || choice->verdict != Verdict::ok) {
      note_refusals(outlook);
      return std::nullopt;
    }
    const std::size_t option = *choice->option;
    cluster_.replace_node(option);
    autoscaler_->add_to(use_, option);
    ++added_[option];
    const Autoscaler::AddedNode added = autoscaler_->added_for(pod, option);
    open_.insert_or_assign(option, added);
    shared_.insert_or_assign(option, added);
    return option;
  }

  void note_refusals(const Outlook& outlook) {
    for (const PoolOutlook& of : outlook.pools) {
      if (of.reasons.empty()) continue;
      refused_.push_back(fmt::format("{}: {}", described(*of.pool), of.reasons.front()));
    }
  }

  /// The scheduler's event about the existing nodes, and why no node is added.
  std::string why_not_placed(const Diagnosis& diagnosis) const {
    constexpr std::size_t kMaxShown = 3;
    std::string text = diagnosis.event();
    for (std::size_t i = 0; i < std::min(refused_.size(), kMaxShown); ++i) {
      text += "; " + refused_[i];
    }
    return text;
  }

  const Autoscaler* autoscaler_;
  const Cluster& initial_;
  Cluster cluster_;
  NodeSet existing_;
  Autoscaler::Use use_;
  std::map<std::size_t, Autoscaler::AddedNode> open_;  ///< the last added node of each kind
  /// The same with a pod of the current workload, if it can share the node.
  std::map<std::size_t, std::optional<Autoscaler::AddedNode>> shared_;
  std::map<std::size_t, std::size_t> added_;  ///< nodes by their kind
  std::vector<std::string> refused_;
};

}  // namespace

Placements place_all(const Simulation& simulation, Autoscalers& autoscalers) {
  std::map<const Cluster*, Placer> placers;
  std::map<const Cluster*, std::size_t> first_workload;
  Placements placements;
  std::int64_t left = kMaxReplicas;
  for (const Simulated& simulated : simulation.workloads()) {
    const std::size_t index = placements.of_workload.size();
    if (!simulated.diagnosis) {
      placements.of_workload.emplace_back();
      continue;
    }
    const Cluster* cluster = simulated.cluster;
    if (!placers.contains(cluster)) {
      placers.try_emplace(cluster, *cluster, autoscalers.of(simulated));
      first_workload.emplace(cluster, index);
    }
    placements.of_workload.push_back(placers.at(cluster).place(simulated, left));
  }
  for (const auto& [cluster, index] : first_workload) {
    std::vector<NodeCount> counts = placers.at(cluster).counts();
    if (!counts.empty()) placements.nodes.emplace(index, std::move(counts));
  }
  return placements;
}

}  // namespace cnsched::sim
