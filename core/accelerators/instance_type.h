#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace cnsched::accelerators {

enum class Provider : unsigned char { amazon, azure, google };

/// A machine type of a cloud, and the accelerators in it.
struct Machine {
  std::string_view type;
  unsigned devices = 0;          ///< whole ones
  std::string_view accelerator;  ///< by the name of a product
};

/// The machines of a provider, those of one accelerator side by side, the smallest first. Sources:
/// aws/karpenter-provider-aws instance-types.md; Microsoft's pages on GPU sizes, those that
/// Azure/karpenter-provider-azure supported-gpus.yaml has for AKS; Google's pages on GPU machine
/// types.
std::span<const Machine> machines(Provider provider);

/// How many accelerators a machine of this type has, where that is sure.
std::optional<unsigned> devices_of_instance_type(std::string_view type);

}  // namespace cnsched::accelerators
