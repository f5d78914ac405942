#pragma once

#include <string_view>

#include "core/kserve/surroundings.h"

namespace cnsched::kserve {

/// The pod fields of `spec` (a runtime's or its workerSpec) with those of `patch` (a predictor or
/// its workerSpec) on top; containers are left out. Which fields a runtime hands on depends on the
/// release. Source: kserve pkg/controller/v1beta1/inferenceservice/utils/utils.go, MergePodSpec.
const yaml::Node& merge_pod_fields(const yaml::Node& spec, const yaml::Node& patch,
                                   const Surroundings& around);

/// A runtime's container with the one of an InferenceService on top: a strategic merge, but `args`
/// are joined and the name stays. Placeholders such as {{.Name}} are filled in. Source: the same,
/// MergeRuntimeContainers and ReplacePlaceholders.
const yaml::Node& merge_container(const yaml::Node& base, const yaml::Node& patch,
                                  const k8s::Object& object, Arena& arena);

/// The container with the image that KServe gives it: `runtimeVersion` as the tag, else `-gpu`
/// for the servers that are built twice and whose limits name an NVIDIA GPU. Source: the same,
/// UpdateImageTag.
const yaml::Node& with_image_tag(const yaml::Node& container, const yaml::Node& runtime_version,
                                 const k8s::Object& runtime, Arena& arena);

}  // namespace cnsched::kserve
