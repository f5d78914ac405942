#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/k8s/selector.h"
#include "core/sim/cluster.h"
#include "core/sim/node_set.h"
#include "core/yaml/node.h"

namespace cnsched::sim {

/// The nodes that meet a requirement on a label.
NodeBounds nodes_matching(const k8s::Requirement& requirement, const Cluster& cluster);

/// What the requirement allows: "'a' or 'b'", "anything but 'a'", "any value".
std::string required_values(const k8s::Requirement& r);
/// Why a label with that value does not meet the requirement: "label 'pool' is 'train', not
/// 'infer'". `value` is empty if the node does not have the label.
std::string difference(const k8s::Requirement& r, std::optional<std::string_view> value);

class Cluster;

/// The nodes that a NodeSelector (`nodeSelectorTerms`) selects, as in PersistentVolumes and
/// ResourceSlices.
NodeBounds nodes_selected_by(const yaml::Node& selector, const Cluster& cluster);

}  // namespace cnsched::sim
