#pragma once

#include <optional>
#include <string_view>

namespace cnsched::accelerators {

/// How many accelerators a machine of this type has, where that is sure: GPUs of Amazon's and
/// Google's types, Neuron devices of Amazon's. Sources: aws/karpenter-provider-aws
/// instance-types.md, Google's pages on GPU machine types.
std::optional<unsigned> devices_of_instance_type(std::string_view type);

}  // namespace cnsched::accelerators
