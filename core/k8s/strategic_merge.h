#pragma once

#include <string_view>

#include "core/base/arena.h"
#include "core/yaml/node.h"

namespace cnsched::k8s {

/// `base` with `patch` on top, as a strategic merge patch made from a Go struct: mappings merge,
/// lists with a merge key merge by it, other lists are replaced; what Go's `omitempty` omits from
/// the patch (null, "", 0, false, [], but not an empty struct such as emptyDir: {}) changes nothing
/// [P55, P56]. `type` is the name of the struct in core/k8s/schema/*.table: "PodSpec". Leaves of
/// the result are nodes of either side. Either side may be missing. Source: k8s.io/apimachinery
/// pkg/util/strategicpatch/patch.go.
const yaml::Node& strategic_merge(Arena& arena, const yaml::Node& base, const yaml::Node& patch,
                                  std::string_view type);

}  // namespace cnsched::k8s
