#pragma once

#include "core/yaml/node.h"

namespace cnsched::yaml {

/// Whether Kubernetes reads both as the same JSON: kinds, scalars (yes is true, 010 is 8, but '8' a
/// string), items and entries in order, keys as the strings that they become. Aliases and merged
/// entries count as what they bring in; of duplicate keys the last counts.
bool same_value(const Node& a, const Node& b);

}  // namespace cnsched::yaml
