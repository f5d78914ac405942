#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/sim/cluster.h"
#include "core/sim/plugin.h"

namespace cnsched::sim {

class Diagnosis;

/// The diagnosis of a pod with one of several placements.
struct NamedDiagnosis {
  std::string name;  ///< of the placement, for messages: "'a100'"
  const Diagnosis* diagnosis = nullptr;
};

/// The result of kube-scheduler's filters and scores for one pod on all nodes. The cluster must
/// outlive it.
class Diagnosis {
 public:
  Diagnosis(const Pod& pod, const Cluster& cluster);
  Diagnosis(const Pod& pod, const Cluster& cluster, std::vector<Rejection> rejections);

  /// The verdict on a pod that Kueue starts with one of several placements, of the same cluster. If
  /// the pod fits somewhere with each of them, its nodes are those of all. If it fits with some
  /// only, the verdict on their nodes is unknown. `choices` has at least one.
  static Diagnosis of_any(const std::vector<NamedDiagnosis>& choices);

  const Cluster& cluster() const { return *cluster_; }
  /// Whether the pod fits on the node. Not known if no filter certainly rejects it.
  Truth fits(std::size_t node) const;
  const NodeSet& feasible() const { return feasible_; }
  /// The nodes that are feasible if the pod is created, which may be unknown.
  NodeSet feasible_if_created() const;
  /// The nodes that no plugin rejects, or may reject, except perhaps this one.
  NodeSet feasible_without(const Plugin& plugin) const;
  /// The nodes on which it is not known whether the pod fits.
  const NodeSet& unknown() const { return unknown_; }
  /// The rejection of the pod as a whole before nodes are filtered; null if there is none.
  const Rejection* of_pod() const;
  /// The nodes that are infeasible, but may be feasible after the eviction of pods: those whose
  /// first rejection has no reason that eviction cannot remove.
  NodeSet preemptable() const;
  /// Every node is infeasible, or the attempt as a whole fails.
  bool fits_nowhere() const { return (feasible_.empty() && unknown_.empty()) || !failure_.empty(); }
  /// In the plugins' order.
  const std::vector<Rejection>& rejections() const { return rejections_; }

  /// The reasons of the first plugin that rejects the node; if none certainly does, everything that
  /// is unknown.
  std::vector<std::string_view> reasons(std::size_t node) const;
  /// The reasons of all plugins.
  std::vector<std::string_view> all_reasons(std::size_t node) const;
  /// The node's score (sim::scores); nothing if the node is not feasible.
  std::optional<std::int64_t> score(std::size_t node) const;
  /// Those of the feasible nodes, in their order.
  const std::vector<std::int64_t>& scores() const { return scores_; }

  /// Why the attempt fails although nodes may be feasible: a filter has an error, or a preferred
  /// term is invalid.
  const std::string& failure() const { return failure_; }
  /// What kube-scheduler says of the pod: that scheduling gates block it, or "0/12 nodes are
  /// available: 8 Insufficient nvidia.com/gpu, …." without what it says about preemption
  /// (Simulated::event). Of a pod that the API server does not create, what its controller says.
  std::string event() const;
  /// The verdict without the full stop; of a pod with scheduling gates, that after their removal.
  std::string summary() const;

 private:
  /// Sets the nodes, with the rejections and scores of `choices`.
  void take_nodes(NodeSet feasible, const NodeSet& unknown,
                  const std::vector<NamedDiagnosis>& choices);
  /// Makes every node that is feasible unknown, because of the placements `misfits`.
  void doubt(const std::vector<std::string>& misfits);

  const Cluster* cluster_;
  std::vector<Rejection> rejections_;
  NodeSet feasible_;
  NodeSet unknown_;
  std::vector<std::int64_t> scores_;  ///< of the feasible nodes, in their order
  std::string failure_;
  std::string not_created_;
  bool is_gated_ = false;
};

/// What the filters of all plugins report, in the plugins' order.
std::vector<Rejection> rejections_of(const Pod& pod, const Cluster& cluster);
/// The reasons for which the first plugin certainly rejects the node.
std::vector<std::string_view> first_reasons(std::size_t node,
                                            const std::vector<Rejection>& rejections);

/// The nodes that nothing rejects but the place of the pod's volumes.
NodeSet rejected_only_for_volumes(const Diagnosis& diagnosis);

/// The causes for which the plugins reject, or possibly reject, the nodes of `explained`, in the
/// plugins' order. Other nodes have none. Without texts, it is fast for thousands of nodes.
CausesByNode causes_on(const NodeSet& explained, const Pod& pod, const Cluster& cluster,
                       bool with_texts = true);
/// The causes on one node.
std::vector<Cause> causes_on(std::size_t node, const Pod& pod, const Cluster& cluster);

}  // namespace cnsched::sim
