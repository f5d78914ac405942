#pragma once

#include <cstddef>
#include <map>
#include <string_view>

#include "core/sim/node_set.h"
#include "core/yaml/node.h"

namespace cnsched::sim {

class Cluster;

namespace devices {

/// The nodes that can use a device, as ResourceSlices and allocations state them.
struct NodeReach {
  std::string_view node_name;
  bool all_nodes = false;
  const yaml::Node* selector = nullptr;  ///< a NodeSelector; null if there is none

  bool is_stated() const { return !node_name.empty() || all_nodes || selector != nullptr; }
};

/// The fields nodeName, allNodes and nodeSelector of a mapping.
NodeReach reach_in(const yaml::Node& mapping);

/// The nodes that each NodeSelector selects, computed once.
class ReachIndex {
 public:
  void add(const NodeReach& reach, const Cluster& cluster);
  /// Whether the reach, which was added, includes the node of that name and index.
  bool includes(const NodeReach& reach, std::size_t node, std::string_view name) const;

 private:
  std::map<const yaml::Node*, NodeSet> selected_;
};

}  // namespace devices
}  // namespace cnsched::sim
