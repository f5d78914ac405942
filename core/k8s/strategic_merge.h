#pragma once

#include "core/base/arena.h"
#include "core/yaml/node.h"

namespace cnsched::k8s {

/// Types whose lists Kubernetes merges by a key, as the `patchMergeKey` tags of their Go structs
/// say. Source: k8s.io/api/core/v1/types.go; for the last, kserve
/// pkg/apis/serving/v1alpha2/llm_inference_service_types.go.
enum class MergeType : unsigned char { plain, pod_spec, container, llm_inference_service_spec };

/// `base` with `patch` on top, as a strategic merge patch made from a Go struct does it: mappings
/// merge, keyed lists merge by their key, other lists are replaced; what Go's `omitempty` would
/// leave out of the patch (null, "", 0, false, [], but not an empty struct such as emptyDir: {})
/// changes nothing. Leaves stay the nodes that they were. Either side may be missing.
/// Source: k8s.io/apimachinery pkg/util/strategicpatch/patch.go.
const yaml::Node& strategic_merge(Arena& arena, const yaml::Node& base, const yaml::Node& patch,
                                  MergeType type);

}  // namespace cnsched::k8s
