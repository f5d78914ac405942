#pragma once

#include "core/packages/overlay/transformers.h"
#include "core/packages/overlay/value.h"
#include "core/yaml/node.h"

namespace cnsched::overlay {

/// Applies one item of `replacements`: a value of one object is copied into others and comes from
/// there. Targets of which that is not certain become unknown. Source: kustomize
/// api/filters/replacement/replacement.go.
void apply_replacement(Maker& maker, Objects& objects, const yaml::Node& replacement);

}  // namespace cnsched::overlay
