#pragma once

#include "core/sim/node_set.h"
#include "core/yaml/node.h"

namespace cnsched::sim {

class Cluster;

/// The nodes that a NodeSelector (`nodeSelectorTerms`) selects, as in PersistentVolumes and
/// ResourceSlices.
NodeBounds nodes_selected_by(const yaml::Node& selector, const Cluster& cluster);

}  // namespace cnsched::sim
