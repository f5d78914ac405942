#pragma once

#include <set>
#include <string>
#include <string_view>

#include "core/sim/pod.h"
#include "core/facts/node_pools.h"

namespace cnsched::change {

/// The accelerator that a node label names, as `cnsched generate` calls it ("nvidia-l4"), or in the
/// label's own word. Empty if the label names none.
std::string product_in(std::string_view label, std::string_view value);
/// The accelerator of a node or of the nodes of a pool; empty if it is not known.
std::string product_of(const facts::NodePool& node);
/// The accelerator of a machine type; empty if it is not known.
std::string product_of_type(std::string_view type);
/// The accelerators of which the pod requires one; empty if it does not say.
std::set<std::string> products_required_by(const sim::Pod& pod);
/// The group of nodes that a node belongs to by its labels, or the name of a pool. Empty for a Node
/// that is in none.
std::string_view pool_of(const facts::NodePool& node);

}  // namespace cnsched::change
