#pragma once

#include "core/base/arena.h"
#include "core/yaml/node.h"

namespace cnsched::k8s {

/// What becomes of a list that both sides have.
enum class Lists : unsigned char { append, replace };

/// `base` with `patch` on top as Go's mergo merges two structs with its option WithOverride (and
/// WithAppendSlice, to append lists): mappings merge deeply, a scalar of the patch wins unless it
/// is zero ("", 0, false) and the base has one, entries of Go maps (nodeSelector, limits, …) win
/// whatever they are. An empty list or mapping of the patch changes nothing, and no list is merged
/// by key. Leaves stay the nodes that they were; a new list or mapping stands in the place of the
/// patch's. Either side may be missing. Source: dario.cat/mergo v1.0.0 merge.go, deepMerge.
const yaml::Node& mergo_merge(Arena& arena, const yaml::Node& base, const yaml::Node& patch,
                              Lists lists);

}  // namespace cnsched::k8s
