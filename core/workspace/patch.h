#pragma once

#include "core/workspace/cluster_scope.h"
#include "core/workspace/workload.h"

namespace cnsched {

/// Whether the pod is incomplete before it is applied: a kustomize patch, or a base of one. Besides
/// Workspace::is_patch, these are signs of it: the object lacks a required field (`serverConfig` of
/// a Server, `seldonConfig` of a SeldonRuntime), or the pod lacks a model server and the workspace
/// has another version of the object.
bool is_patch(const Workload& workload, const ClusterScope& scope);

}  // namespace cnsched
