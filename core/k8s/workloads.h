#pragma once

#include <vector>

#include "core/k8s/object.h"
#include "core/k8s/pod_template.h"

namespace cnsched::k8s {

/// The pod spec of a core workload kind (Pod, Deployment, StatefulSet, DaemonSet, ReplicaSet, Job,
/// CronJob); nothing for any other object or without a pod spec.
std::vector<PodTemplate> pod_templates(const Object& object);

}  // namespace cnsched::k8s
