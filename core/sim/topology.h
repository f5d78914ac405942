#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/sim/cluster.h"

namespace cnsched::sim {

/// One of the parts that a topology key divides the nodes into.
using Domain = std::uint64_t;

/// The nodes by their values of a label, the topology key. Each node that an autoscaler adds is a
/// host of its own; in every other way it is like those of its pool before it.
class Topology {
 public:
  /// The cluster has to outlive it.
  Topology(std::string_view key, const Cluster& cluster);

  std::string_view key() const { return key_; }
  /// Nodes that have the label.
  const NodeSet& nodes() const { return nodes_; }
  /// Nodes that may have it, though their description does not tell.
  const NodeSet& open() const { return open_; }

  /// Where a node stands, or one that stood in its place before. Nothing: nowhere.
  std::optional<Domain> domain_of(std::size_t node, std::uint32_t generation) const;
  std::optional<Domain> domain_of(std::size_t node) const {
    return domain_of(node, cluster_->generation(node));
  }
  /// Whether each node that an autoscaler adds is a domain of its own.
  bool is_of_hosts() const { return is_of_hosts_; }
  /// "where label 'zone' is 'a'", "on the node".
  std::string place_of(std::size_t node) const;

 private:
  bool is_fresh(std::size_t node) const {
    return is_of_hosts_ && cluster_->elastic().contains(node);
  }

  std::string_view key_;
  const Cluster* cluster_;
  const LabelColumn* column_;
  bool is_of_hosts_;
  NodeSet nodes_;
  NodeSet open_;
};

}  // namespace cnsched::sim
