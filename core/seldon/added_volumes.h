#pragma once

#include "core/base/arena.h"
#include "core/yaml/node.h"

namespace cnsched::seldon {

// Volumes that the operator of Seldon Core 1 adds to the pods of a SeldonDeployment [S65]. Source:
// seldon-core v1 operator/controllers/{seldondeployment_controller,seldondeployment_engine}.go,
// operator/utils/utils.go.

/// `pod` with the volume `seldon-podinfo`, the pod's annotations as a file, unless it has one.
const yaml::Node& with_pod_info(const yaml::Node& pod, Arena& arena);
/// `container` with the mount of that volume.
const yaml::Node& with_pod_info_mount(const yaml::Node& container, Arena& arena);

/// `pod` with the volume of the certificate in the Secret named `secret` (may be missing), which
/// all containers but init containers mount.
const yaml::Node& with_certificate(const yaml::Node& pod, const yaml::Node& secret, Arena& arena);

}  // namespace cnsched::seldon
