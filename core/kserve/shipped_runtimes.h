#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "core/base/arena.h"
#include "core/base/version.h"
#include "core/k8s/object.h"
#include "core/kserve/runtime.h"

namespace cnsched::kserve {

/// The names of the runtimes that KServe or Open Data Hub install in any release [K78, K79].
std::span<const std::string_view> shipped_runtime_names();
/// Whether one of KServe's own runtimes has that name, in any release [K78].
bool is_shipped_by_kserve(std::string_view runtime);
/// The model formats that KServe's own runtimes support [K78].
std::span<const std::string_view> shipped_formats();
/// Whether KServe ships a runtime for the model format in the release; if it is not known, in every
/// release from 0.12 on.
bool ships_runtime_for(std::string_view format, const std::optional<Version>& release);
/// Whether KServe chooses one of its own runtimes, in any release [K78].
bool is_served_by_shipped_runtime(const RuntimeRequirements& required);

/// The container with the image that KServe sets. `runtime_version` replaces the tag. Without it,
/// KServe appends `-gpu` to the tag if the limits list an NVIDIA GPU (since 0.16 also a MIG
/// device) and the server has a GPU image, and selects vLLM's CPU repository if they do not. An
/// image with a digest is unchanged. The runtime's annotation serving.kserve.io/server-type
/// identifies the server, else the runtime's name [K29]. Source: kserve
/// pkg/controller/v1beta1/inferenceservice/utils/utils.go, UpdateImageTag.
const yaml::Node& with_image_tag(const yaml::Node& container, const yaml::Node& runtime_version,
                                 const k8s::Object& runtime, const std::optional<Version>& release,
                                 Arena& arena);

}  // namespace cnsched::kserve
