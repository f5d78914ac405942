#pragma once

#include <cstdint>

#include "core/k8s/object.h"
#include "core/kserve/deployment_mode.h"

namespace cnsched::kserve {

/// Whether an annotation tells KServe to stop what it runs for the object. Source: kserve
/// pkg/utils/utils.go, GetForceStopRuntime.
bool is_stopped(const k8s::Object& object);

/// How many pods the component with this `minReplicas` has at least. HPA makes 1 of 0; Knative,
/// KEDA and the autoscaler class `none` do not.
std::int64_t least_replicas(const k8s::Object& object, const yaml::Node& min_replicas,
                            DeploymentMode mode);

}  // namespace cnsched::kserve
