#pragma once

#include "core/base/arena.h"
#include "core/yaml/node.h"

namespace cnsched::seldon {

// Source of all: seldon-core v2 operator/controllers/reconcilers/common/patch_utils.go [S7].

/// The pod spec of a ServerConfig or of a SeldonConfig's component, `config`, with the one of a
/// Server or SeldonRuntime, `override`, on top, as MergePodSpecs merges them. Either may be
/// missing.
const yaml::Node& merge_pod_specs(Arena& arena, const yaml::Node& config,
                                  const yaml::Node& override);

/// `override`'s containers, each merged over the one of exactly that name, then the others of
/// `config`.
const yaml::Node& merge_containers(Arena& arena, const yaml::Node& config,
                                   const yaml::Node& override);

/// A pod spec without the fields that the CRDs lack, which the API server drops. Those of Server
/// and SeldonRuntime lack seven that those of ServerConfig and SeldonConfig have.
const yaml::Node& stored_override(Arena& arena, const yaml::Node& pod_spec);
const yaml::Node& stored_config(Arena& arena, const yaml::Node& pod_spec);

}  // namespace cnsched::seldon
