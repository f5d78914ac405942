#pragma once

#include <string_view>

#include "core/base/arena.h"
#include "core/yaml/node.h"

// Two ways in which controllers put one Go struct on top of another. `type` is the name of the
// struct in core/k8s/schema/*.table: "PodSpec". Leaves of the result are nodes of either side;
// either side may be missing.
namespace cnsched::k8s {

/// `base` with `patch` on top, as a strategic merge patch made from a Go struct: mappings merge,
/// lists with a merge key merge by it, other lists are replaced; what Go's `omitempty` omits from
/// the patch (null, "", 0, false, [], but not an empty struct such as emptyDir: {}) changes nothing
/// [P55, P56]. Source: k8s.io/apimachinery pkg/util/strategicpatch/patch.go.
const yaml::Node& strategic_merge(Arena& arena, const yaml::Node& base, const yaml::Node& patch,
                                  std::string_view type);

/// How a list of the patch changes a list of the base.
enum class Lists : unsigned char { append, replace };

/// `base` with `patch` on top as Go's mergo merges two structs with its option WithOverride (and
/// WithAppendSlice, to append lists): mappings merge deeply; a scalar of the patch wins unless it
/// is zero ("", 0, false) and the base has one; entries of Go maps (nodeSelector, limits, …) always
/// win. An empty list or mapping of the patch changes nothing, and no list is merged by key [S7].
/// A new list or mapping has the position of the patch's. Source: dario.cat/mergo v1.0.0 merge.go,
/// deepMerge.
const yaml::Node& mergo_merge(Arena& arena, const yaml::Node& base, const yaml::Node& patch,
                              std::string_view type, Lists lists);

}  // namespace cnsched::k8s
