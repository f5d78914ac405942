#pragma once

#include <vector>

#include "core/k8s/object.h"
#include "core/k8s/pod_spec.h"
#include "core/k8s/taint.h"

namespace cnsched::k8s {

/// The tolerations that the admission plugin DefaultTolerationSeconds adds: a failed node is
/// tolerated for five minutes, unless `own` tolerate it [P28].
std::vector<Toleration> default_tolerations(const std::vector<Toleration>& own);
/// The tolerations that the plugin ExtendedResourceToleration adds if it is enabled: one for each
/// extended resource that a container names, even for 0, sorted by key [P29].
std::vector<Toleration> resource_tolerations(const PodSpec& pod);
/// The tolerations that the controller of DaemonSets adds.
std::vector<Toleration> daemon_tolerations(const PodSpec& pod);
/// The RuntimeClass that the pod names, or null.
const Object* runtime_class_of(const PodSpec& pod, const std::vector<const Object*>& classes);

}  // namespace cnsched::k8s
