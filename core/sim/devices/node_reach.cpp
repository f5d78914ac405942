// Source: k8s.io/dynamic-resource-allocation 0.36, structured/internal/incubating
// pools_incubating.go, NodeMatches.

#include "core/sim/devices/node_reach.h"

#include "core/sim/cluster.h"
#include "core/sim/node_match.h"
#include "core/yaml/scalar.h"

namespace cnsched::sim::devices {

NodeReach reach_in(const yaml::Node& mapping) {
  NodeReach reach;
  reach.node_name = mapping["nodeName"].text();
  reach.all_nodes = yaml::boolean_of(mapping["allNodes"].text()) == true;
  const yaml::Node& selector = mapping["nodeSelector"];
  if (selector.is_mapping()) reach.selector = &selector;
  return reach;
}

void ReachIndex::add(const NodeReach& reach, const Cluster& cluster) {
  if (reach.selector == nullptr || selected_.contains(reach.selector)) return;
  selected_.emplace(reach.selector, nodes_selected_by(*reach.selector, cluster).certain);
}

bool ReachIndex::includes(const NodeReach& reach, std::size_t node, std::string_view name) const {
  if (!reach.node_name.empty()) return reach.node_name == name;
  if (reach.all_nodes) return true;
  if (reach.selector == nullptr) return false;
  const auto found = selected_.find(reach.selector);
  return found != selected_.end() && found->second.contains(node);
}

}  // namespace cnsched::sim::devices
