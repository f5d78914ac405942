#pragma once

#include <string_view>

#include "core/base/arena.h"
#include "core/yaml/node.h"

namespace cnsched::k8s {

/// How a list of the patch changes a list of the base.
enum class Lists : unsigned char { append, replace };

/// `base` with `patch` on top as Go's mergo merges two structs with its option WithOverride (and
/// WithAppendSlice, to append lists): mappings merge deeply; a scalar of the patch wins unless it
/// is zero ("", 0, false) and the base has one; entries of Go maps (nodeSelector, limits, …) always
/// win. An empty list or mapping of the patch changes nothing, and no list is merged by key [S7].
/// `type` is the name of the struct in core/k8s/schema/*.table: "PodSpec". Leaves of the result are
/// nodes of either side; a new list or mapping has the position of the patch's. Either side may be
/// missing. Source: dario.cat/mergo v1.0.0 merge.go, deepMerge.
const yaml::Node& mergo_merge(Arena& arena, const yaml::Node& base, const yaml::Node& patch,
                              std::string_view type, Lists lists);

}  // namespace cnsched::k8s
