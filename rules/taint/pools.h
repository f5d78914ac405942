#pragma once

#include <fmt/format.h>

#include <string>

#include "core/workloads/node_pools.h"

namespace cnsched::rules {

/// "NodePool 'gpu'", as a message calls it. Where one object describes several pools, or none does,
/// it is a node pool by that name.
inline std::string pool_called(const NodePool& pool) {
  const bool is_object = pool.object != nullptr && pool.object->kind != "ClusterConfig";
  const std::string_view kind = is_object ? pool.object->kind : "node pool";
  return pool.name.empty() ? fmt::format("a {}", kind) : fmt::format("{} '{}'", kind, pool.name);
}

/// What to point at for a taint: its key, where that stands alone.
inline const yaml::Node& place_of_taint(const k8s::Taint& taint) {
  const yaml::Node& key = (*taint.node)["key"];
  return key ? key : *taint.node;
}

}  // namespace cnsched::rules
