#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/sim/cluster.h"
#include "core/sim/plugin.h"

namespace cnsched::sim {

/// The nodes with one value of a topology key.
using Domain = std::uint64_t;

/// The nodes by their value of a label, the topology key. For kubernetes.io/hostname, each node
/// that an autoscaler adds is its own domain; for other keys, it is in the domain of its pool.
class Topology {
 public:
  /// The cluster must outlive it.
  Topology(std::string_view key, const Cluster& cluster);

  std::string_view key() const { return key_; }
  /// Nodes that have the label.
  const NodeSet& nodes() const { return nodes_; }
  /// Nodes that may have the label: their pool does not list it.
  const NodeSet& possible_nodes() const { return possible_nodes_; }

  /// The domain of the node of that generation; nothing if it has none.
  std::optional<Domain> domain_of(std::size_t node, std::uint32_t generation) const;
  std::optional<Domain> domain_of(std::size_t node) const {
    return domain_of(node, cluster_->generation(node));
  }
  /// Equal for nodes of one domain.
  CauseKey key_on(std::size_t node) const {
    return {static_cast<std::int64_t>(domain_of(node).value_or(0))};
  }
  /// Whether the key is kubernetes.io/hostname.
  bool is_hostname() const { return is_hostname_; }
  /// "where label 'zone' is 'a'", "on the node".
  std::string domain_text(std::size_t node) const;

 private:
  bool is_own_domain(std::size_t node) const {
    return is_hostname_ && cluster_->autoscaled().contains(node);
  }

  std::string_view key_;
  const Cluster* cluster_;
  const LabelColumn* column_;
  bool is_hostname_;
  NodeSet nodes_;
  NodeSet possible_nodes_;
};

}  // namespace cnsched::sim
