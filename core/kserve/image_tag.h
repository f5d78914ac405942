#pragma once

#include "core/base/arena.h"
#include "core/k8s/object.h"

namespace cnsched::kserve {

/// The container with the image that KServe gives it: `runtime_version` as the tag, else, if its
/// limits name an NVIDIA GPU, `-gpu` behind the tag for the servers that are built twice; without
/// one, vLLM's repository for CPUs. An image with a digest stays. Which server a runtime is says
/// its annotation serving.kserve.io/server-type, else its name [K29]. Source: kserve
/// pkg/controller/v1beta1/inferenceservice/utils/utils.go, UpdateImageTag.
const yaml::Node& with_image_tag(const yaml::Node& container, const yaml::Node& runtime_version,
                                 const k8s::Object& runtime, Arena& arena);

}  // namespace cnsched::kserve
