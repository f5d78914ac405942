#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/sim/cluster.h"
#include "core/sim/node_set.h"
#include "core/sim/pod.h"

namespace cnsched::sim {

struct Plugin;

/// Why some of the nodes are no place for a pod.
struct Objection {
  const Plugin* plugin = nullptr;
  std::string reason;  ///< in kube-scheduler's words; of what is not known, in ours
  NodeSet nodes;
  bool is_known = true;       ///< false: the nodes may do all the same
  bool is_rejection = false;  ///< of the pod as such, before any node is looked at
};

/// What one plugin has to say against nodes.
class Objections {
 public:
  Objections(const Plugin& plugin, std::vector<Objection>& all) : plugin_(plugin), all_(all) {}

  /// These nodes do not do.
  void add(std::string_view reason, NodeSet nodes) { add(reason, std::move(nodes), true); }
  /// No node does, whatever it is like.
  void reject(std::string_view reason, const Cluster& cluster) {
    all_.push_back({&plugin_, std::string(reason), cluster.all(), true, true});
  }
  /// Whether these do is not known, and why not.
  void add_unknown(std::string_view reason, NodeSet nodes) { add(reason, std::move(nodes), false); }

 private:
  void add(std::string_view reason, NodeSet nodes, bool is_known) {
    if (!nodes.empty()) all_.push_back({&plugin_, std::string(reason), std::move(nodes), is_known});
  }

  const Plugin& plugin_;
  std::vector<Objection>& all_;
};

/// One thing that is in the way between a pod and a node, with all that a reader may want to know.
struct Obstacle {
  enum class Kind : unsigned char {
    other,
    taint,       ///< `taint` is not tolerated
    label,       ///< `requirement` is not met
    empty_term,  ///< `requirement.node` is a term that matches nothing
    resource,    ///< `request` is more than is free
  };
  const Plugin* plugin = nullptr;
  Kind kind = Kind::other;
  std::string text;                     ///< "taint 'dedicated=ml:NoSchedule' is not tolerated"
  const yaml::Node* in_pod = nullptr;   ///< what asks for it; null where nothing does
  const yaml::Node* on_node = nullptr;  ///< what refuses it; null where nothing does
  k8s::Taint taint{};
  k8s::Requirement requirement{};
  std::string_view resource{};
  std::int64_t free = 0;  ///< of the resource, in its units
};

/// A step of kube-scheduler, named as upstream names it. What it needs to know of the pod and of
/// the cluster's nodes it looks up itself; it has no state.
struct Plugin {
  std::string_view name;
  /// What is said against which nodes. Null: the plugin only scores.
  void (*filter)(const Pod& pod, const Cluster& cluster, Objections& objections) = nullptr;
  /// What is in the way on one node, in words; nothing where `filter` does not object.
  void (*explain)(const Pod& pod, const Cluster& cluster, std::size_t node,
                  std::vector<Obstacle>& obstacles) = nullptr;
  /// What `weight` is multiplied with: 0 to 100 for each of the feasible nodes, in their order.
  std::vector<std::int64_t> (*score)(const Pod& pod, const Cluster& cluster,
                                     const NodeSet& feasible) = nullptr;
  std::int64_t weight = 0;
};

/// Those that filter, in kube-scheduler's order: of each node the first that objects gives the
/// reason. Source: pkg/scheduler/apis/config/v1/default_plugins.go.
std::span<const Plugin* const> plugins();

}  // namespace cnsched::sim
