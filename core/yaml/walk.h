#pragma once

#include <type_traits>

#include "core/yaml/node.h"

namespace cnsched::yaml {

/// Calls `visit` with `node` and with every value below it, in file order. What an alias repeats or
/// `<<` merges in is visited once, where it is written. A `visit` that returns false keeps the walk
/// from going below the node.
template <typename Visit>
void walk(const Node& node, Visit&& visit) {
  if constexpr (std::is_same_v<bool, std::invoke_result_t<Visit&, const Node&>>) {
    if (!visit(node)) return;
  } else {
    visit(node);
  }
  if (node.anchored() != nullptr) return;
  for (const Node* item : node.items()) walk(*item, visit);
  for (const Entry& entry : node.entries()) {
    if (!entry.merged) walk(*entry.value, visit);
  }
}

}  // namespace cnsched::yaml
