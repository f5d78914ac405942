#pragma once

#include <string_view>

#include "core/yaml/node.h"

namespace cnsched::k8s {

/// Whether the key is a directive of strategic merge patches, such as `$patch`. No object has
/// such a key [P57]. Source: k8s.io/apimachinery pkg/util/strategicpatch/patch.go.
bool is_patch_directive(std::string_view key);

/// Whether `root` contains such a directive.
bool contains_patch_directive(const yaml::Node& root);

}  // namespace cnsched::k8s
