#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/sim/node_set.h"
#include "core/sim/pod.h"
#include "core/workloads/node_pools.h"
#include "core/workloads/workspace.h"

namespace cnsched::sim {

/// The values of one label, node by node.
class LabelColumn {
 public:
  explicit LabelColumn(std::size_t nodes) : value_of_(nodes) {}

  void set(std::size_t node, std::string_view value);
  /// The value that a node has, or nothing.
  std::optional<std::string_view> value_of(std::size_t node) const;
  /// The nodes with values, or without one, for which `matches` holds. It is asked once for each
  /// value.
  template <typename Matches>
  NodeSet where(Matches matches) const {
    std::vector<std::uint8_t> verdict(values_.size() + 1);
    verdict[0] = matches(std::nullopt) ? 1 : 0;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      verdict[i + 1] = matches(std::optional(values_[i])) ? 1 : 0;
    }
    NodeSet set(value_of_.size());
    for (std::size_t i = 0; i < value_of_.size(); ++i) set.insert_if(i, verdict[value_of_[i]] != 0);
    return set;
  }

 private:
  std::vector<std::uint32_t> value_of_;  ///< 0: none, else one more than its place in `values_`
  std::vector<std::string_view> values_;
  std::unordered_map<std::string_view, std::uint32_t> places_;
};

/// What the nodes have of a resource, and what of it pods have asked for; in kube-scheduler's units
/// (amount_of).
struct ResourceColumn {
  std::vector<std::int64_t> allocatable;
  std::vector<std::int64_t> requested;

  std::int64_t free(std::size_t node) const;
};

/// A taint, and the nodes that have it.
struct TaintedNodes {
  k8s::Taint taint;  ///< of one of them
  NodeSet nodes;
};

/// A pod that runs on one of the nodes.
struct RunningPod {
  Pod pod;
  std::size_t node = 0;
  bool is_terminating = false;
};

/// The nodes that pods can be placed on, what runs there, and what the API server does to pods; all
/// that the plugins look at, arranged by column, for there may be thousands of nodes and pods.
class Cluster {
 public:
  /// Which nodes count: those that files of facts and configurations give, or manifests' own, too.
  enum class Which : unsigned char { given, all };
  /// Whether ExtendedResourceToleration runs may be told from outside; the facts tell the rest.
  Cluster(const Workspace& run, const ClusterFacts& facts, Which which,
          std::optional<bool> extended_resource_toleration = {});

  std::size_t size() const { return nodes_.size(); }
  const NodePool& node(std::size_t i) const { return *nodes_[i]; }
  NodeSet none() const { return NodeSet(size()); }
  NodeSet all() const { return NodeSet::all(size()); }

  /// The place of the node of that name, or nothing.
  std::optional<std::size_t> find(std::string_view name) const;
  /// The same, pools included.
  std::optional<std::size_t> find_any(std::string_view name) const;
  /// The values of a label; null if no node has it.
  const LabelColumn* label(std::string_view key) const;
  /// The nodes that may have a label of that key, though their description does not tell.
  NodeSet may_have_label(std::string_view key) const;
  const LabelColumn& names() const { return names_; }
  /// Each taint, by key, value and effect.
  const std::vector<TaintedNodes>& taints() const { return taints_; }
  /// Null if no node has any.
  const ResourceColumn* resource(std::string_view name) const;
  /// What any node has, by name.
  std::vector<std::string_view> resource_names() const;
  /// Places for pods on each node.
  const ResourceColumn& pod_places() const { return pod_places_; }
  const NodeSet& unschedulable() const { return unschedulable_; }
  /// Nodes of which nothing says how much room they have.
  const NodeSet& without_allocatable() const { return without_allocatable_; }
  /// What stands for nodes that an autoscaler adds as they are needed.
  const NodeSet& elastic() const { return elastic_; }
  const std::vector<RunningPod>& pods() const { return pods_; }
  /// Whether any Pod was given: if not, what runs in the cluster is unknown rather than nothing.
  bool knows_pods() const { return knows_pods_; }
  const Admission& admission() const { return admission_; }

  /// The pod runs there from now on.
  void place(const Pod& pod, std::size_t node);
  /// A fresh node in the place of one that an autoscaler adds.
  void renew(std::size_t node);

 private:
  void add_nodes();
  void add_room(std::size_t i, const yaml::Node& allocatable);
  void add_running_pods(const Workspace& run, const ClusterFacts& facts);
  void use(const Pod& pod, std::size_t node);

  std::vector<const NodePool*> nodes_;
  std::unordered_map<std::string_view, std::size_t> by_name_;
  LabelColumn names_{0};
  std::unordered_map<std::string_view, LabelColumn> labels_;
  std::vector<TaintedNodes> taints_;
  std::unordered_map<std::string_view, ResourceColumn> resources_;
  ResourceColumn pod_places_;
  NodeSet unschedulable_;
  NodeSet without_allocatable_;
  NodeSet elastic_;
  NodeSet vague_;        ///< whose descriptions leave out labels that others set
  NodeSet abbreviated_;  ///< the same, but only labels of clouds and operators
  std::vector<RunningPod> pods_;
  bool knows_pods_ = false;
  Admission admission_;
};

}  // namespace cnsched::sim
