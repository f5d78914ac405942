#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/sim/autoscaler.h"
#include "core/sim/placement.h"
#include "core/sim/simulation.h"

namespace cnsched::change {

/// What is known about the nodes of a cluster.
class ClusterNodes {
 public:
  explicit ClusterNodes(const sim::Cluster& cluster);

  /// A number that differs for other sets of nodes, by their names and accelerators.
  std::uint64_t hash_of(const sim::NodeSet& nodes) const;
  /// The accelerators of these nodes; empty if those of any are unknown.
  std::set<std::string> products_of(const sim::NodeSet& nodes) const;
  /// The nodes whose accelerators are known.
  sim::NodeSet with_product() const;
  /// The pool of all these nodes; empty if they are of several.
  std::string_view pool_of(const sim::NodeSet& nodes) const;

 private:
  std::vector<std::uint64_t> hashes_;    ///< by node
  std::vector<std::string_view> pools_;  ///< by node
  std::map<std::string, sim::NodeSet> by_product_;
  sim::NodeSet without_product_;
};

/// What happens to a pod on the known nodes.
struct PodVerdict {
  enum class Kind : unsigned char {
    none,  ///< there is no such pod, or no node is known
    fits,
    evicts,  ///< it fits after the eviction of other pods
    added,   ///< an autoscaler adds a node for it
    unknown,
    nowhere,
    never,  ///< the pod is never created
  };
  Kind kind = Kind::none;
  std::size_t fitting = 0;       ///< nodes, or pools that get nodes
  std::uint64_t nodes_hash = 0;  ///< of the nodes that fit, or of the pool that gets a node
  /// Of the replicas, how many find room; nothing if unknown, and without --replicas.
  std::optional<std::int64_t> placed{};

  // Not compared.
  std::int64_t replicas = 0;  ///< that shall find room
  std::size_t nodes = 0;      ///< of the cluster
  bool has_pools = false;     ///< some of these are pools
  /// Why not, what is unknown, or which pool gets a node. Printable. Set by `explain`.
  std::string reason{};

  friend bool operator==(const PodVerdict& a, const PodVerdict& b) {
    return a.kind == b.kind && a.fitting == b.fitting && a.nodes_hash == b.nodes_hash &&
           a.placed == b.placed;
  }
  /// Whether the pod may run on a node.
  bool has_node() const {
    return kind == Kind::fits || kind == Kind::evicts || kind == Kind::added;
  }
};

/// "fits", "nowhere": for JSON.
std::string_view name_of(PodVerdict::Kind kind);
/// "fits 4 of 12 nodes", "fits nowhere: untolerated taint dedicated=training"; printable.
std::string to_string(const PodVerdict& verdict);

/// The accelerators that a pod requests.
struct Devices {
  std::string_view resource;  ///< "nvidia.com/gpu"
  std::int64_t count = 0;     ///< of one pod
  /// One of these; empty: unknown. The products of the nodes that fit; without any, of those that
  /// the pod selects or gets; else those that it requires by labels.
  std::set<std::string> products{};
  std::string_view pool{};  ///< of the nodes that fit; empty: none, several or unknown

  friend bool operator==(const Devices&, const Devices&) = default;
};
/// "nvidia-l4 ×1", "nvidia.com/gpu ×2".
std::string to_string(const Devices& devices);

/// Computes the verdicts of a simulation.
class Verdicts {
 public:
  /// `placements`: null without --replicas. Both must outlive it.
  Verdicts(const sim::Simulation& simulation, const sim::Placements* placements);

  /// On the workload at that index of the simulation, without the reason.
  PodVerdict of(std::size_t index);
  /// Sets the reason. `other`: the same pod on the other side, on whose nodes the reasons matter
  /// most; null if there is none.
  void explain(std::size_t index, const sim::Simulated* other, PodVerdict& verdict);
  std::vector<Devices> devices_of(std::size_t index);
  const ClusterNodes& nodes_of(const sim::Cluster& cluster);

 private:
  const sim::Outlook* outlook_of(std::size_t index);
  /// Sets the products and the pool of the nodes that the pod uses or selects.
  void add_nodes(std::size_t index, Devices& devices);

  const sim::Simulation& simulation_;
  const sim::Placements* placements_;
  sim::Autoscalers autoscalers_;
  std::map<const sim::Cluster*, ClusterNodes> clusters_;
  std::map<std::size_t, std::optional<sim::Outlook>> outlooks_;
};

}  // namespace cnsched::change
