#pragma once

#include <fmt/format.h>

#include <string>

#include "core/facts/node_pools.h"

namespace cnsched::rules {

/// The pool's name in messages: "NodePool 'gpu'". If no object describes this pool alone, it is
/// "node pool 'gpu'".
inline std::string pool_called(const facts::NodePool& pool) {
  const bool is_object = pool.object != nullptr && pool.object->kind != "ClusterConfig";
  const std::string_view kind = is_object ? pool.object->kind : "node pool";
  return pool.name.empty() ? fmt::format("a {}", kind) : fmt::format("{} '{}'", kind, pool.name);
}

/// Where a finding about the taint points: its key, if it is a field of its own.
inline const yaml::Node& place_of_taint(const k8s::Taint& taint) {
  const yaml::Node& key = (*taint.node)["key"];
  return key ? key : *taint.node;
}

}  // namespace cnsched::rules
