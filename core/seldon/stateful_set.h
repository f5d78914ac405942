#pragma once

#include <string_view>

#include "core/base/arena.h"
#include "core/seldon/pod_metadata.h"
#include "core/yaml/node.h"

namespace cnsched::seldon {

// What the StatefulSet controller adds to the first pod of a set [S35]. Source: k8s.io/kubernetes
// pkg/controller/statefulset/stateful_set_utils.go.

/// The pod spec with a volume for each of `claim_templates` (volumeClaimTemplates of a ServerConfig
/// or a SeldonConfig's component, whose items have name and spec), which replaces a volume with the
/// same name. The claim of "models" in the set "gpu" is "models-gpu-0".
const yaml::Node& with_claims(Arena& arena, const yaml::Node& pod_spec,
                              const yaml::Node& claim_templates, std::string_view set);

/// Sets the labels with the pod's name and index. `name` is the set's.
void set_identity(MetadataMap& labels, const yaml::Node& name);

}  // namespace cnsched::seldon
