#pragma once

#include "core/k8s/objects.h"
#include "core/workloads/workload.h"

namespace cnsched {

/// Whether the pod is only part of one, for something else to complete before it is applied: a
/// kustomize patch, or a base. So is an object without a field that its kind cannot do without
/// (`serverConfig` of a Server, `seldonConfig` of a SeldonRuntime), and a pod without a model
/// server of which the run, whose objects are `objects`, holds another version.
bool is_patch(const Workload& workload, const k8s::Objects& objects);

}  // namespace cnsched
