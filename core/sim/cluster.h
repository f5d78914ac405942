#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/sim/node_set.h"
#include "core/sim/pod.h"
#include "core/sim/running_pods.h"
#include "core/workloads/node_pools.h"
#include "core/workloads/workspace.h"

namespace cnsched::sim {

/// The values of one label, node by node; only of nodes that have it, for there may be as many
/// labels as nodes.
class LabelColumn {
 public:
  explicit LabelColumn(std::size_t nodes) : nodes_(nodes) {}

  /// Of one node after the other.
  void set(std::size_t node, std::string_view value);
  /// The value that a node has, or nothing.
  std::optional<std::string_view> value_of(std::size_t node) const;
  /// The same as a number from 1 to values(); 0: none.
  std::uint32_t place_of(std::size_t node) const;
  std::size_t values() const { return values_.size(); }
  /// The nodes with values, or without one, for which `matches` holds. It is asked once for each
  /// value.
  template <typename Matches>
  NodeSet where(Matches matches) const {
    std::vector<bool> verdicts;
    for (const std::string_view value : values_) verdicts.push_back(matches(std::optional(value)));
    NodeSet set(nodes_);
    NodeSet others = matches(std::nullopt) ? NodeSet::all(nodes_) : set;
    for (const Entry& entry : entries_) set.insert_if(entry.node, verdicts[entry.place - 1]);
    return others.empty() ? set : set | (others - with());
  }
  /// The nodes that have it.
  NodeSet with() const;

 private:
  struct Entry {
    std::uint32_t node;
    std::uint32_t place;  ///< one more than the value's among `values_`
  };

  std::size_t nodes_;
  std::vector<Entry> entries_;  ///< by node
  std::vector<std::string_view> values_;
  std::unordered_map<std::string_view, std::uint32_t> places_;
};

/// What the nodes have of a resource, and what of it pods have asked for; in kube-scheduler's units
/// (amount_of).
class ResourceColumn {
 public:
  /// What one node has.
  struct Room {
    std::size_t node = 0;
    std::int64_t allocatable = 0;
    std::int64_t requested = 0;

    std::int64_t free() const;
  };

  /// Of one node after the other.
  void set(std::size_t node, std::int64_t allocatable) { rooms_.push_back({node, allocatable}); }
  /// The room of a node; none where it has nothing of the resource.
  Room on(std::size_t node) const;
  /// The same to be changed, or null.
  Room* find(std::size_t node);
  /// Of the nodes that have some, in their order.
  std::span<const Room> rooms() const { return rooms_; }

 private:
  std::vector<Room> rooms_;
};

/// A taint, and the nodes that have it.
struct TaintedNodes {
  k8s::Taint taint;  ///< of one of them
  NodeSet nodes;
};

/// The nodes that pods can be placed on, what runs there, and what the API server does to pods; all
/// that the plugins look at, arranged by column, for there may be thousands of nodes and pods.
class Cluster {
 public:
  /// What is looked at.
  enum class View : unsigned char {
    now,  ///< every node as it is: what runs there takes room, some are cordoned
    /// The same without what comes and goes: Pods, cordons, taints of nodes that fail. What a pod
    /// misses here it will always miss. No nodes at all if neither files of facts nor
    /// configurations give any: those of manifests may be examples.
    lasting,
  };
  /// Whether ExtendedResourceToleration runs may be told from outside; the facts tell the rest.
  Cluster(const Workspace& run, const ClusterFacts& facts, View view,
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
  /// The taints of a node that count.
  std::vector<k8s::Taint> taints_of(std::size_t node) const;
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
  /// Nodes that say how much room they have, but not of this resource, though every node has some:
  /// an abbreviated description. Null if there are none.
  const NodeSet* untold(std::string_view resource) const;
  /// What stands for nodes that an autoscaler adds as they are needed.
  const NodeSet& elastic() const { return elastic_; }
  const std::vector<RunningPod>& pods() const { return pods_.all(); }
  const RunningPods& running_pods() const { return pods_; }
  /// How many nodes have stood in the place of this one before.
  std::uint32_t generation(std::size_t node) const { return generations_[node]; }
  /// Whether the pod's node still stands in its place.
  bool is_on_present_node(const RunningPod& pod) const {
    return pod.generation == generations_[pod.node];
  }
  /// Whether the node is there: an autoscaler adds one when the first pod needs it.
  bool is_there(std::size_t node) const {
    return !elastic_.contains(node) || pod_places_.on(node).requested > 0;
  }
  /// Whether any Pod was given: if not, what runs in the cluster is unknown rather than nothing.
  bool knows_pods() const { return knows_pods_; }
  const Admission& admission() const { return admission_; }

  /// The pod runs there from now on.
  void place(const Pod& pod, std::size_t node);
  /// A fresh node in the place of one that an autoscaler adds. What runs on the one before it runs
  /// on.
  void renew(std::size_t node);

 private:
  void add_nodes();
  void add_room(std::size_t i, const yaml::Node& allocatable);
  void add_running_pods(const Workspace& run, const ClusterFacts& facts);
  void use(const Pod& pod, std::size_t node);

  View view_;
  std::vector<const NodePool*> nodes_;
  std::unordered_map<std::string_view, std::size_t> by_name_;
  LabelColumn names_{0};
  std::unordered_map<std::string_view, LabelColumn> labels_;
  std::vector<TaintedNodes> taints_;
  std::unordered_map<std::string_view, ResourceColumn> resources_;
  ResourceColumn pod_places_;
  NodeSet unschedulable_;
  NodeSet without_allocatable_;
  std::map<std::string_view, NodeSet> untold_;
  NodeSet elastic_;
  NodeSet vague_;        ///< whose descriptions leave out labels that others set
  NodeSet abbreviated_;  ///< the same, but only labels of clouds and operators
  std::vector<std::uint32_t> generations_;
  RunningPods pods_;
  bool knows_pods_ = false;
  Admission admission_;
};

}  // namespace cnsched::sim
