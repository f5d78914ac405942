#pragma once

#include <span>
#include <string_view>

#include "core/accelerators/catalogue.h"

namespace cnsched::accelerators {

/// An accelerator that is no card of NVIDIA's.
struct Device {
  std::string_view name;  ///< "amd-mi300x"
  Vendor vendor = Vendor::other;
  std::string_view title;
  std::string_view resource;   ///< what a container asks for
  std::string_view label_key;  ///< of the label that tells it; empty where none is known
  std::string_view label_value;
  unsigned mebibytes = 0;  ///< of memory, where a label tells it; 0 where none does
};

/// Sources: the labellers and plugins of AMD and Intel, aws/karpenter-provider-aws
/// instance-types.md, Google's page on TPUs in GKE.
std::span<const Device> devices();

/// A host of a slice of TPUs that is no larger than one host.
struct TpuHost {
  std::string_view device;    ///< by the name of a device
  std::string_view topology;  ///< as cloud.google.com/gke-tpu-topology has it
  unsigned chips = 0;
};

/// The smallest of each device first. Source: Google's page on planning TPUs in GKE.
std::span<const TpuHost> tpu_hosts();

}  // namespace cnsched::accelerators
