#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/version.h"
#include "core/facts/node_pools.h"
#include "core/sim/devices/in_use.h"
#include "core/sim/node_set.h"
#include "core/sim/pod.h"
#include "core/sim/pod_selector.h"
#include "core/sim/running_pods.h"
#include "core/sim/steps.h"
#include "core/sim/storage.h"
#include "core/workspace/cluster_scope.h"
#include "core/workspace/known_objects.h"

namespace cnsched::sim {

namespace devices {
class DeviceFacts;
struct DeviceClass;
}  // namespace devices

/// The values of one label by node. It stores only the nodes that have the label: there may be as
/// many labels as nodes.
class LabelColumn {
 public:
  explicit LabelColumn(std::size_t node_count) : node_count_(node_count) {}

  /// Nodes must be set in the order of their indices.
  void set(std::size_t node, std::string_view value);
  /// The value on a node; nothing if the node does not have the label.
  std::optional<std::string_view> value_of(std::size_t node) const;
  /// The number of the node's value, from 1 to values(); 0 if the node does not have the label.
  std::uint32_t value_index(std::size_t node) const;
  std::size_t values() const { return values_.size(); }
  /// The nodes for whose value `matches` returns true. It is called once for each value, and with
  /// nullopt for nodes without the label.
  template <typename Matches>
  NodeSet where(Matches matches) const {
    std::vector<bool> is_match;
    for (const std::string_view value : values_) is_match.push_back(matches(std::optional(value)));
    NodeSet set(node_count_);
    NodeSet others = matches(std::nullopt) ? NodeSet::all(node_count_) : set;
    for (const Entry& entry : entries_) set.insert_if(entry.node, is_match[entry.value_index - 1]);
    return others.empty() ? set : set | (others - nodes());
  }
  /// The nodes that have the label.
  NodeSet nodes() const;

 private:
  struct Entry {
    std::uint32_t node;
    std::uint32_t value_index;  ///< the index in `values_`, plus 1
  };

  std::size_t node_count_;
  std::vector<Entry> entries_;  ///< by node
  std::vector<std::string_view> values_;
  std::unordered_map<std::string_view, std::uint32_t> index_of_;
};

/// The allocatable and requested amounts of one resource by node, in kube-scheduler's units
/// (amount_of).
class ResourceColumn {
 public:
  struct NodeAmount {
    std::size_t node = 0;
    std::int64_t allocatable = 0;
    std::int64_t requested = 0;  ///< by the pods that run on the node

    std::int64_t free() const;
  };

  /// Nodes must be set in the order of their indices.
  void set(std::size_t node, std::int64_t allocatable) { amounts_.push_back({node, allocatable}); }
  /// The amounts on a node; 0 if the node does not list the resource.
  NodeAmount on(std::size_t node) const;
  /// Null if the node does not list the resource.
  NodeAmount* find(std::size_t node);
  /// The amounts on the nodes that list the resource, in the nodes' order.
  std::span<const NodeAmount> amounts() const { return amounts_; }

 private:
  std::vector<NodeAmount> amounts_;
};

/// A taint and the nodes that have it.
struct TaintedNodes {
  k8s::Taint taint;  ///< as written on one of the nodes
  NodeSet nodes;
};

/// What the plugins read: the nodes, the pods that run on them, and what admission does to pods.
/// The data is stored by column, because there may be thousands of nodes and pods.
class Cluster {
 public:
  enum class View : unsigned char {
    now,  ///< with running Pods and cordons
    /// Without temporary state: running Pods, cordons, and taints of failing nodes. Has no nodes if
    /// neither files of facts nor configurations define one: Nodes in manifests may be examples.
    lasting,
  };
  /// `extended_resource_toleration` overrides the facts about the admission plugin.
  Cluster(const ClusterScope& scope, const facts::ClusterFacts& facts, View view,
          std::optional<bool> extended_resource_toleration, std::shared_ptr<Steps> steps);

  /// Those that it takes to match a pod with a selector.
  static constexpr std::uint64_t kStepsOfMatch = 4;

  View view() const { return view_; }
  std::size_t size() const { return nodes_.size(); }
  const facts::NodePool& node(std::size_t i) const { return *nodes_[i]; }
  NodeSet none() const { return NodeSet(size()); }
  NodeSet all() const { return NodeSet::all(size()); }

  /// The index of the Node of that name.
  std::optional<std::size_t> find(std::string_view name) const;
  /// The index of the Node or node pool of that name.
  std::optional<std::size_t> find_any(std::string_view name) const;
  /// Null if no node has the label.
  const LabelColumn* label(std::string_view key) const;
  /// The nodes that may have a label of that key although their pool does not list it.
  NodeSet may_have_label(std::string_view key) const;
  const LabelColumn& names() const { return names_; }
  /// The taints of a node in this view.
  std::vector<k8s::Taint> taints_of(std::size_t node) const;
  /// All taints, sorted by key, value and effect.
  const std::vector<TaintedNodes>& taints() const { return taints_; }
  /// Null if no node lists the resource.
  const ResourceColumn* resource(std::string_view name) const;
  /// The resources that any node lists, by name.
  std::vector<std::string_view> resource_names() const;
  /// The number of pods on each node.
  const ResourceColumn& pod_slots() const { return pod_slots_; }
  const NodeSet& unschedulable() const { return unschedulable_; }
  /// Nodes without status.allocatable.
  const NodeSet& without_allocatable() const { return without_allocatable_; }
  /// Nodes whose status.allocatable does not list this resource, although every real node has it.
  /// Null if there are none.
  const NodeSet* not_listing(std::string_view resource) const;
  /// Pools to which an autoscaler adds nodes on demand.
  const NodeSet& autoscaled() const { return autoscaled_; }
  const std::vector<RunningPod>& pods() const { return pods_.all(); }
  const RunningPods& running_pods() const { return pods_; }
  /// The pods for which the scheduler has evicted others from their node, by their indices in
  /// pods(): evicted themselves until restore() adds them.
  const std::vector<std::size_t>& nominated_pods() const { return nominated_pods_; }
  /// How often this node was replaced (replace_node).
  std::uint32_t generation(std::size_t node) const { return generations_[node]; }
  /// Whether the pod is not evicted and its node was not replaced since the pod was placed.
  bool is_on_current_node(const RunningPod& pod) const {
    return pod.count > 0 && pod.generation == generations_[pod.node];
  }
  /// Whether the node exists: an autoscaler adds a node for the first pod that needs it.
  bool exists(std::size_t node) const {
    return !autoscaled_.contains(node) || pod_slots_.on(node).requested > 0;
  }
  /// Whether the cluster's running Pods are given. If not, it is unknown which pods run.
  bool has_pods_given() const { return has_pods_given_; }
  /// Whether the cluster runs that release of Kubernetes or a later one. If the release is unknown,
  /// it is taken for the newest one.
  bool runs_kubernetes(int major, int minor) const {
    return !kubernetes_ || *kubernetes_ >= Version{major, minor};
  }
  const Admission& admission() const { return admission_; }
  const Namespaces& namespaces() const { return namespaces_; }
  const Storage& storage() const { return storage_; }
  /// KnownObjects says more.
  const std::vector<const k8s::Object*>& objects(k8s::SchedulingKind kind) const {
    return objects_[kind];
  }
  bool knows_all(k8s::SchedulingKind kind, std::string_view ns = {}) const {
    return objects_.knows_all(kind, ns);
  }

  /// Of the run. What is done for a pod takes some of them.
  Steps& steps() const { return *steps_; }
  /// Calls `visit(pod)` for a superset of the running pods that the selector selects, until there
  /// are no more steps.
  template <typename Visit>
  void each_candidate(const PodSelector& selector, Visit visit) const {
    pods_.each_candidate(selector, [&](const RunningPod& running) {
      if (steps_->spend(kStepsOfMatch)) visit(running);
    });
  }

  /// Shared by the copies of a cluster.
  devices::DeviceFacts& device_facts() const { return *device_facts_; }
  const devices::PlacedDevices& placed_devices() const { return placed_devices_; }
  /// The DeviceClass whose devices serve an extended resource; null if there is none.
  const devices::DeviceClass* class_serving(std::string_view resource) const;

  /// Adds a running pod to the node.
  void place(const Pod& pod, std::size_t node);
  /// Removes a pod, or one of its replicas, from its current node. `pod`: its index in pods().
  void evict(std::size_t pod);
  /// Evicts a pod that is not restored.
  void end(std::size_t pod);
  /// Reverses evict.
  void restore(std::size_t pod);
  /// Replaces an autoscaled node with a new, empty one. The pods on the old node keep running.
  void replace_node(std::size_t node);

 private:
  void add_nodes();
  void add_allocatable(std::size_t i, const facts::NodePool& pool);
  void add_allocatable(std::size_t i, std::string_view resource, const Quantity& amount);
  void add_running_pods(const ClusterScope& scope, const facts::ClusterFacts& facts);
  void add_nominated_pod(const k8s::Object& object, const ClusterScope& scope);
  enum class Change : signed char { removed = -1, added = 1 };
  void add_requests(const Pod& pod, std::size_t node, Change change = Change::added);

  View view_;
  std::shared_ptr<Steps> steps_;
  std::vector<const facts::NodePool*> nodes_;
  std::unordered_map<std::string_view, std::size_t> by_name_;
  LabelColumn names_{0};
  std::unordered_map<std::string_view, LabelColumn> labels_;
  std::vector<TaintedNodes> taints_;
  std::unordered_map<std::string_view, ResourceColumn> resources_;
  ResourceColumn pod_slots_;
  NodeSet unschedulable_;
  NodeSet without_allocatable_;
  std::map<std::string_view, NodeSet> resources_unlisted_;
  NodeSet autoscaled_;
  NodeSet labels_incomplete_;         ///< pools that may have labels which they do not list
  NodeSet system_labels_incomplete_;  ///< the same, but only labels of clouds and operators
  std::vector<std::uint32_t> generations_;
  RunningPods pods_;
  std::vector<std::size_t> nominated_pods_;
  bool has_pods_given_ = false;
  KnownObjects objects_;
  Namespaces namespaces_;
  std::optional<Version> kubernetes_;
  Storage storage_;
  Admission admission_;
  std::shared_ptr<devices::DeviceFacts> device_facts_;
  devices::PlacedDevices placed_devices_;
};

}  // namespace cnsched::sim
