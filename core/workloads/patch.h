#pragma once

#include "core/workloads/workload.h"
#include "core/workloads/workspace.h"

namespace cnsched {

/// Whether the pod is only part of one, for something else to complete before it is applied: a
/// kustomize patch, or a base. Where nothing says so (Workspace::is_patch), it shows: an object
/// lacks a field that its kind cannot do without (`serverConfig` of a Server, `seldonConfig` of a
/// SeldonRuntime), or a pod lacks a model server and the run holds another version of it.
bool is_patch(const Workload& workload, const Workspace& run);

}  // namespace cnsched
