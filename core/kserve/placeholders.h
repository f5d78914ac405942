#pragma once

#include <string_view>

#include "core/base/arena.h"
#include "core/k8s/object.h"

namespace cnsched::kserve {

/// `container` with the values of {{.Name}}, {{.Namespace}}, {{.Labels.team}} and
/// {{.Annotations.team}} of `object` in every string. KServe does this for the model server and the
/// transformer in its pod, not for workers [K28]. Source: kserve
/// pkg/controller/v1beta1/inferenceservice/utils/utils.go, ReplacePlaceholders.
const yaml::Node& with_placeholders_filled(const yaml::Node& container, const k8s::Object& object,
                                           Arena& arena);

/// Whether the text has such a placeholder.
bool has_placeholder(std::string_view text);

}  // namespace cnsched::kserve
