#pragma once

#include "core/yaml/node.h"

namespace cnsched::k8s {

/// Whether a directive of strategic merge patches stands anywhere in `root`: `$patch: delete` and
/// its like, which no object has and the API server would not take.
/// Source: k8s.io/apimachinery pkg/util/strategicpatch/patch.go.
bool holds_patch_directive(const yaml::Node& root);

}  // namespace cnsched::k8s
