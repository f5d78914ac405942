#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/sim/cluster.h"
#include "core/sim/node_set.h"
#include "core/sim/pod.h"

namespace cnsched::sim {

struct Plugin;

/// kube-scheduler's codes for a node that a plugin rejects.
enum class Status : unsigned char {
  unschedulable,  ///< eviction of other pods from the node (preemption) may help
  unresolvable,   ///< it cannot help: UnschedulableAndUnresolvable
};

/// The nodes that a plugin rejects for one reason.
struct Rejection {
  const Plugin* plugin = nullptr;
  std::string reason;  ///< kube-scheduler's text; cnsched's if `is_certain` is false
  NodeSet nodes;
  bool is_certain = true;  ///< false: it is unknown whether the plugin rejects the nodes
  bool is_of_pod = false;  ///< whether PreFilter rejects the pod before nodes are filtered
  Status status = Status::unresolvable;
  bool is_error = false;  ///< kube-scheduler's attempt fails if the plugin filters one of the nodes
};

/// One requirement of a pod that one node does not meet, with details for messages and edits.
struct Cause {
  enum class Kind : unsigned char {
    other,
    taint,       ///< `taint` is not tolerated
    label,       ///< `requirement` is not met
    empty_term,  ///< the term `in_pod` is empty and so matches no node
    resource,    ///< the request for `resource` is larger than `free`
  };
  const Plugin* plugin = nullptr;
  Kind kind = Kind::other;
  std::string text;                     ///< "taint 'dedicated=ml:NoSchedule' is not tolerated"
  const yaml::Node* in_pod = nullptr;   ///< the requirement in the manifest; null if there is none
  const yaml::Node* on_node = nullptr;  ///< what the Node has instead, if explained alone; or null
  k8s::Taint taint{};
  k8s::Requirement requirement{};
  std::string_view resource{};
  std::int64_t free = 0;      ///< of the resource, in its units (amount_of)
  bool lacks_plugin = false;  ///< the Node has such accelerators, and no plugin advertises them
};

/// The causes on each node, by the node's index. Nodes with the same causes share a list, and a
/// list shares all but its last cause with a shorter one: thousands of nodes differ in little.
class CausesByNode {
 public:
  explicit CausesByNode(std::size_t nodes) : lists_(1), list_of_(nodes) {}

  std::vector<Cause> operator[](std::size_t node) const;
  /// The list of a node's causes: below lists(). Different lists may have equal texts.
  std::size_t list_of(std::size_t node) const { return list_of_[node]; }
  std::size_t lists() const { return lists_.size(); }
  /// The number of causes on the node.
  std::size_t count(std::size_t node) const { return lists_[list_of_[node]].size; }

 private:
  friend class FilterResult;
  struct List {
    std::size_t rest = 0;  ///< the list of the causes before the last one
    std::size_t size = 0;
    Cause last{};
  };

  std::vector<List> lists_;  ///< the first one is empty
  std::vector<std::size_t> list_of_;
};

/// What a cause on a node depends on: it is the same on all nodes for which all of this is equal.
using CauseKey = std::array<std::int64_t, 3>;

/// Collects what the filters of the plugins report: sets of rejected nodes and, for the nodes to
/// explain, the causes. A filter computes each set once; `explain` makes a cause for each key.
class FilterResult {
 public:
  static constexpr std::size_t kMaxCauses = 100;  ///< in the pod, for one node, about

  /// Without explanations.
  FilterResult() = default;
  /// Also adds the causes on the nodes of `explained` to `causes`, of the same cluster, without
  /// their texts unless these are wanted. Both must outlive it.
  FilterResult(const NodeSet& explained, CausesByNode& causes, bool wants_texts)
      : explained_(&explained), causes_(&causes), wants_texts_(wants_texts) {}

  /// Calls the plugin's filter. If the steps of the run are used up then, all that it says is that
  /// it is unknown which nodes the plugin rejects.
  void run(const Plugin& plugin, const Pod& pod, const Cluster& cluster);

  /// The plugin rejects these nodes.
  void reject(Status status, std::string_view reason, NodeSet nodes) {
    if (nodes.empty()) return;
    rejections_.push_back({plugin_, std::string(reason), std::move(nodes), true, false, status});
  }
  /// The same, with the causes (explain).
  template <typename... KeyAndCause>
  void reject(Status status, std::string_view reason, NodeSet nodes, KeyAndCause... key_and_cause) {
    explain(nodes, key_and_cause...);
    reject(status, reason, std::move(nodes));
  }
  /// The plugin rejects the pod on every node.
  void reject_pod(Status status, std::string_view reason, const Cluster& cluster) {
    rejections_.push_back({plugin_, std::string(reason), cluster.all(), true, true, status});
  }
  /// The plugin fails on these nodes, with kube-scheduler's message.
  void fail(std::string_view message, NodeSet nodes) {
    if (nodes.empty()) return;
    reject(Status::unresolvable, message, std::move(nodes));
    rejections_.back().is_error = true;
  }
  /// The plugin fails before nodes are filtered.
  void fail_pod(std::string_view message, const Cluster& cluster) {
    reject_pod(Status::unresolvable, message, cluster);
    rejections_.back().is_error = true;
  }
  /// It is unknown whether the plugin rejects these nodes; `reason` says what is unknown.
  void reject_perhaps(std::string_view reason, NodeSet nodes) {
    if (nodes.empty()) return;
    rejections_.push_back({plugin_, std::string(reason), std::move(nodes), false});
  }

  /// Adds the cause `cause_on(node)`, which may be nothing, for each node to explain that does not
  /// have many causes already: a list of terms may have thousands of aliases. It is called once for
  /// nodes with the same causes before and the same `key_on(node)`, a CauseKey.
  template <typename KeyOn, typename CauseOn>
  void explain(const NodeSet& nodes, KeyOn key_on, CauseOn cause_on) {
    if (explained_ == nullptr) return;
    const NodeSet here = nodes & *explained_;
    if (!steps_->spend(here.count())) return;
    LongerLists longer;
    here.each([&](std::size_t node) {
      const std::size_t list = causes_->list_of_[node];
      const auto [found, is_new] = longer.try_emplace({list, key_on(node)}, list);
      if (is_new && has_room(list)) found->second = longer_list(list, cause_on(node));
      causes_->list_of_[node] = found->second;
    });
  }
  /// The same for causes that are different on each node.
  template <typename CauseOn>
  void explain(const NodeSet& nodes, CauseOn cause_on) {
    explain(
        nodes, [](std::size_t node) { return CauseKey{static_cast<std::int64_t>(node)}; },
        cause_on);
  }
  /// The same for a cause that is the same on all nodes.
  void explain(const NodeSet& nodes, const Cause& cause) {
    explain(nodes, on_all, [&](std::size_t) { return cause; });
  }
  /// The key of such a cause.
  static CauseKey on_all(std::size_t /*node*/) { return {}; }
  /// The text of a cause, `write()` if it is wanted.
  template <typename Write>
  std::string text(Write write) const {
    return wants_texts_ ? write() : std::string();
  }
  /// Whether there are nodes to explain.
  bool explains() const { return explained_ != nullptr; }
  bool is_explained(std::size_t node) const {
    return explained_ != nullptr && explained_->contains(node);
  }
  void add_cause(std::size_t node, Cause cause) {
    causes_->list_of_[node] = longer_list(causes_->list_of_[node], std::move(cause));
  }

  const std::vector<Rejection>& rejections() const& { return rejections_; }
  std::vector<Rejection> rejections() && { return std::move(rejections_); }

 private:
  static constexpr std::uint64_t kStepsOfCause = 50;

  using ListAndKey = std::pair<std::size_t, CauseKey>;
  struct HashOfKey {
    std::size_t operator()(const ListAndKey& of) const;
  };
  using LongerLists = std::unordered_map<ListAndKey, std::size_t, HashOfKey>;

  /// Whether a node with these causes gets more. The cluster has no more taints than it has.
  bool has_room(std::size_t list) const;
  /// The list with one more cause, or none.
  std::size_t longer_list(std::size_t list, std::optional<Cause> cause);
  /// Removes the causes of the plugin, and adds this text, unless it is empty, in their place.
  void take_back(const NodeSet& nodes, const std::string& instead);

  const Plugin* plugin_ = nullptr;
  Steps* steps_ = nullptr;
  std::vector<Rejection> rejections_;
  const NodeSet* explained_ = nullptr;
  CausesByNode* causes_ = nullptr;
  bool wants_texts_ = false;
};

/// A plugin of kube-scheduler, with upstream's name. It has no state and reads only the pod and the
/// cluster.
struct Plugin {
  std::string_view name;
  /// Reports all nodes that the plugin rejects, in one call for the whole cluster.
  void (*filter)(const Pod& pod, const Cluster& cluster, FilterResult& result) = nullptr;
  /// A score from 0 to 100 for each feasible node, in the nodes' order; null if there is none.
  std::vector<std::int64_t> (*score)(const Pod& pod, const Cluster& cluster,
                                     const NodeSet& feasible) = nullptr;
  std::int64_t weight = 0;  ///< of the score
};

extern constinit const Plugin node_affinity_pre_filter;
extern constinit const Plugin node_unschedulable;
extern constinit const Plugin node_name;
extern constinit const Plugin taint_toleration;
extern constinit const Plugin node_affinity;
extern constinit const Plugin node_ports;
extern constinit const Plugin node_resources_fit;
extern constinit const Plugin volume_restrictions;
extern constinit const Plugin node_volume_limits;
extern constinit const Plugin volume_binding;
extern constinit const Plugin volume_zone;
extern constinit const Plugin pod_topology_spread;
extern constinit const Plugin inter_pod_affinity;
extern constinit const Plugin dynamic_resources;
extern constinit const Plugin node_declared_features;
extern constinit const Plugin unfiltered;
extern constinit const Plugin creation;

/// All plugins in kube-scheduler's order. The first one that rejects a node gives the reason.
/// Source: pkg/scheduler/apis/config/v1/default_plugins.go.
std::span<const Plugin* const> plugins();

/// The scheduler that places the pod: "scheduler 'volcano'". Empty for kube-scheduler. A pod with
/// resources of a scheduler that shares devices, which no node lists, is its own: HAMi's webhook
/// sets schedulerName.
std::string other_scheduler(const Pod& pod, const Cluster& cluster);

enum class Better : unsigned char { more, less };

/// The raw scores of the feasible nodes on a scale from 0 to 100, in the nodes' order [P4]. Source:
/// pkg/scheduler/framework/plugins/helper/normalize_score.go.
std::vector<std::int64_t> normalized(const std::vector<std::int64_t>& raw_of_node,
                                     const NodeSet& feasible, Better better);

/// The score of each feasible node, in the nodes' order: preferred node affinity and
/// PreferNoSchedule taints, with kube-scheduler's weights. The scores for free resources and for
/// images are not included.
std::vector<std::int64_t> scores(const Pod& pod, const Cluster& cluster, const NodeSet& feasible);

}  // namespace cnsched::sim
