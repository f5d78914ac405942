#pragma once

#include <type_traits>

#include "core/yaml/node.h"

namespace cnsched::yaml {

/// Calls `visit` with `node` and with every value below it, in file order. Values that an alias
/// repeats or `<<` merges in are visited once, where they are written. If `visit` returns false,
/// the values below the node are skipped.
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
