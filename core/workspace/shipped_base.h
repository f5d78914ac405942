#pragma once

#include <optional>

#include "core/k8s/objects.h"
#include "core/k8s/pod_resources.h"
#include "core/workspace/workload.h"

namespace cnsched {

/// The probable base of a pod whose base is not known: the one that is installed with the
/// controller. The cluster's may differ. Nothing for pods that name a base of their own.
std::optional<k8s::ShippedBase> shipped_base(const Workload& workload, const k8s::Objects& objects);

}  // namespace cnsched
