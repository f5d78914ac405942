#pragma once

#include "core/base/arena.h"
#include "core/k8s/object.h"

namespace cnsched::kserve {

/// The container with the image that KServe sets. `runtime_version` replaces the tag. Without it,
/// KServe appends `-gpu` to the tag if the limits list an NVIDIA GPU and the server has a GPU
/// image, and selects vLLM's CPU repository if they do not. An image with a digest is unchanged.
/// The runtime's annotation serving.kserve.io/server-type identifies the server, else the runtime's
/// name [K29]. Source: kserve pkg/controller/v1beta1/inferenceservice/utils/utils.go,
/// UpdateImageTag.
const yaml::Node& with_image_tag(const yaml::Node& container, const yaml::Node& runtime_version,
                                 const k8s::Object& runtime, Arena& arena);

}  // namespace cnsched::kserve
