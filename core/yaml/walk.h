#pragma once

#include "core/yaml/node.h"

namespace cnsched::yaml {

/// Calls `visit` with `node` and with every value below it, in file order. What an alias repeats or
/// `<<` merges in is visited once, where it is written.
template <typename Visit>
void walk(const Node& node, Visit&& visit) {
  visit(node);
  if (node.anchored != nullptr) return;
  for (const Node* item : node.items) walk(*item, visit);
  for (const Entry& entry : node.entries) {
    if (!entry.merged) walk(*entry.value, visit);
  }
}

}  // namespace cnsched::yaml
