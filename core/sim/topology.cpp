#include "core/sim/topology.h"

#include <fmt/format.h>

#include "core/base/text.h"

namespace cnsched::sim {

Topology::Topology(std::string_view key, const Cluster& cluster)
    : key_(key),
      cluster_(&cluster),
      column_(cluster.label(key)),
      is_hostname_(key == "kubernetes.io/hostname"),
      nodes_(column_ == nullptr ? cluster.none() : column_->nodes()),
      possible_nodes_(cluster.may_have_label(key)) {
  if (is_hostname_) nodes_ |= cluster.autoscaled();
  possible_nodes_ -= nodes_;
  cluster.steps().spend(cluster.size());
}

std::optional<Domain> Topology::domain_of(std::size_t node, std::uint32_t generation) const {
  constexpr unsigned kBits = 32;
  const std::size_t values = column_ == nullptr ? 0 : column_->values();
  if (is_own_domain(node)) return Domain{values + 1 + node} << kBits | generation;
  const std::uint32_t index = column_ == nullptr ? 0 : column_->value_index(node);
  return index == 0 ? std::nullopt : std::optional(Domain{index} << kBits);
}

std::string Topology::domain_text(std::size_t node) const {
  if (is_own_domain(node) || column_ == nullptr) return "on the node";
  return fmt::format("where label '{}' is '{}'", printable(key_),
                     printable(column_->value_of(node).value_or("")));
}

}  // namespace cnsched::sim
