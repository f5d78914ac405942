#pragma once

#include "core/packages/overlay/select.h"
#include "core/packages/overlay/value.h"
#include "core/yaml/node.h"

namespace cnsched::overlay {

/// How a strategic-merge patch is applied.
struct MergeOptions {
  bool allows_name_change = false;  ///< `options.allowNameChange`
  bool allows_kind_change = false;
  bool has_own_schema = false;  ///< `openapi` of the kustomization: merge keys are unknown
  bool is_shared = false;       ///< the patch changes several objects
};

/// Applies a strategic-merge patch as kustomize does: null deletes, `$patch: delete` and `replace`,
/// lists of Kubernetes' kinds merge by key, the patch's items first; other lists are replaced.
/// What is not certain becomes unknown. Source: kustomize kyaml/yaml/merge2, walk.
void apply_strategic_merge(Maker& maker, Object& object, const yaml::Node& patch,
                           const MergeOptions& options);

}  // namespace cnsched::overlay
