#pragma once

#include <string_view>

#include "core/sim/diagnosis.h"

namespace cnsched::sim {

/// What PostFilter of DynamicResources says of a pod that fits on no node: "still not schedulable".
/// `diagnosis` is that of the pod. Source: dynamicresources.go, PostFilter.
std::string_view claims_message(const Pod& pod, const Diagnosis& diagnosis);

}  // namespace cnsched::sim
