#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/sim/diagnosis.h"
#include "core/sim/node_options.h"
#include "core/sim/simulation.h"

namespace cnsched::sim {

/// Whether the autoscaler of one pool would add a node for a pod.
struct PoolOutlook {
  const facts::NodePool* pool = nullptr;
  Truth verdict = Truth::no;
  /// The smallest kind of node that the pod fits, or may fit; an index for Autoscaler::option.
  std::optional<std::size_t> option{};
  std::string_view type{};             ///< of that node; empty: unknown
  std::vector<std::string> reasons{};  ///< why not, or what is unknown
};

/// Which pool would get a node for a pod.
struct Outlook {
  std::vector<PoolOutlook> pools;  ///< in the order in which they are tried
  /// The first pool with a kind of node that the pod fits or may fit.
  std::optional<std::size_t> chosen{};

  const PoolOutlook* choice() const { return chosen ? &pools[*chosen] : nullptr; }
  /// Whether certainly no pool gets a node.
  bool is_hopeless() const;
};

/// The nodes of one pool, and their resources as the pool's limits count them.
struct PoolUse {
  std::int64_t nodes = 0;
  std::map<std::string_view, std::int64_t> amounts{};
};

/// The nodes that the autoscalers of a cluster can add. Prices are unknown: of the kinds of nodes
/// that a pod fits, a pool gets the smallest.
class Autoscaler {
 public:
  /// The scope and the facts must outlive it.
  Autoscaler(const ClusterScope& scope, const facts::ClusterFacts& facts,
             const SimulationOptions& options);
  Autoscaler(const Autoscaler&) = delete;
  Autoscaler& operator=(const Autoscaler&) = delete;

  bool has_pools() const { return !options_.pools().empty(); }
  /// The nodes that exist, and each kind of node that can be added.
  const Cluster& cluster() const { return cluster_; }
  const NodeOption& option(std::size_t node) const { return options_[node]; }
  /// By pool, in the order of NodeOptions::pools.
  using Use = std::vector<PoolUse>;
  const Use& initial_use() const { return initial_use_; }
  /// Adds a node of that kind to what its pool has.
  void add_to(Use& use, std::size_t option) const;

  /// For a pod that fits no existing node.
  Outlook outlook(const Pod& pod, const Use& use) const;

  /// The labels that pods require of a node that was added for them.
  struct AddedNode {
    k8s::Conjunction labels;
  };
  /// The node of that kind that is added for the pod.
  AddedNode added_for(const Pod& pod, std::size_t option) const;
  /// The node with this pod too, if its labels, which Karpenter chooses, can satisfy its
  /// requirements too.
  std::optional<AddedNode> shared_with(const Pod& pod, std::size_t option,
                                       const AddedNode& node) const;
  bool is_of_karpenter(std::size_t node) const;

 private:
  struct Filtered;

  Outlook outlook(const Pod& pod, const Use& use, bool preferred, const Filtered& filtered) const;
  PoolOutlook karpenter_outlook(std::size_t pool, const Pod& pod,
                                const std::vector<LabelDemands>& demands, const PoolUse& use,
                                const Filtered& filtered) const;
  PoolOutlook group_outlook(std::size_t pool, const Pod& pod, const PoolUse& use,
                            const Filtered& filtered) const;
  /// The demands that the labels of the pool's nodes can satisfy; without any, adds the reasons.
  std::vector<LabelDemands> possible_demands(std::size_t pool, const Pod& pod,
                                             const std::vector<LabelDemands>& demands,
                                             PoolOutlook& outlook) const;
  std::string too_few_values(const facts::NodePool& pool,
                             const std::vector<std::size_t>& fitting) const;
  void note_unknown(std::size_t pool, const LabelDemands& demands, const Filtered& filtered,
                    PoolOutlook& outlook) const;
  void explain_misfit(const NodeOptions::OfPool& of, const std::vector<std::size_t>& options,
                      const Pod& pod, const Filtered& filtered, PoolOutlook& outlook) const;
  bool is_certain_misfit(const NodeOptions::OfPool& of,
                         const std::vector<LabelDemands>& demands) const;
  Truth labels_match(std::size_t option, const KarpenterLabels& labels,
                     const LabelDemands& demands) const;
  std::string exceeded_limit(const facts::NodePool& pool, const PoolUse& use,
                             std::size_t option) const;
  PoolUse use_of(const NodeOptions::OfPool& of) const;

  NodeOptions options_;
  Cluster cluster_;
  std::vector<KarpenterLabels> karpenter_labels_;  ///< by pool
  std::vector<std::size_t> order_;                 ///< of the pools
  std::vector<std::size_t> pool_of_;               ///< by node; of real nodes meaningless
  Use initial_use_;
};

/// The autoscalers of each cluster of a simulation, made when first needed.
class Autoscalers {
 public:
  /// The simulation must outlive it.
  explicit Autoscalers(const Simulation& simulation) : simulation_(&simulation) {}
  /// That of the workload's cluster; null if it has no pools.
  const Autoscaler* of(const Simulated& simulated);
  /// What is added for the workload's pod; nothing if an existing node accepts it, if the cluster
  /// has no pools, or if the pod never reaches the scheduler, or is that of a DaemonSet.
  std::optional<Outlook> outlook(const Simulated& simulated);

 private:
  const Simulation* simulation_;
  std::map<const Cluster*, std::unique_ptr<const Autoscaler>> by_cluster_;
};

}  // namespace cnsched::sim
