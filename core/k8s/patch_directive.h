#pragma once

#include <string_view>

#include "core/yaml/node.h"

namespace cnsched::k8s {

/// Whether the key is a directive of strategic merge patches, such as `$patch`: no object has it,
/// and the API server would not take it. Source: k8s.io/apimachinery
/// pkg/util/strategicpatch/patch.go.
bool is_patch_directive(std::string_view key);

/// Whether such a directive stands anywhere in `root`.
bool holds_patch_directive(const yaml::Node& root);

}  // namespace cnsched::k8s
