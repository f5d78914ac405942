#pragma once

#include <string_view>

#include "core/base/arena.h"
#include "core/seldon/pods.h"
#include "core/yaml/node.h"

namespace cnsched::seldon {

// Source of this file: seldon-core v2 operator/controllers/reconcilers/common/patch_utils.go [S7].

/// The pod spec of a Server or SeldonRuntime, `override`, merged over that of a ServerConfig or of
/// a SeldonConfig's component, `config`, like MergePodSpecs. Either may be missing.
const yaml::Node& merge_pod_specs(Arena& arena, const yaml::Node& config,
                                  const yaml::Node& override);

/// The containers of `override`, each merged over the one with exactly the same name, then the
/// others of `config`.
const yaml::Node& merge_containers(Arena& arena, const yaml::Node& config,
                                   const yaml::Node& override);

/// A pod spec without the fields that the CRDs do not have, which the API server drops. Server and
/// SeldonRuntime lack seven fields that ServerConfig and SeldonConfig have.
const yaml::Node& stored_override(Arena& arena, const yaml::Node& pod_spec);
const yaml::Node& stored_config(Arena& arena, const yaml::Node& pod_spec);

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
