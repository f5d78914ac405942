#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/accelerators/platform.h"
#include "core/accelerators/product.h"

namespace cnsched::accelerators {

inline constexpr std::string_view kKarpenterGpu = "karpenter.k8s.aws/instance-gpu-name";
inline constexpr std::string_view kKarpenterMemory = "karpenter.k8s.aws/instance-gpu-memory";

/// Where a platform has an accelerator: what its nodes advertise, and how they are told.
struct Site {
  std::string resource;
  std::vector<LabelDemand> demands;
  LabelDemand elsewhere;
  std::vector<LabelValue> by_owner;  ///< labels that the owner puts on the nodes
  std::optional<std::string> machine_type;
};

/// "GKE".
std::string_view title_of(Platform platform);

/// What `accelerator` is on the platform: one spelling of a card means nothing where others write.
const Accelerator& as_known_on(Platform platform, const Accelerator& accelerator);

/// Why the platform has no such accelerator, by the name that the user called it, or nothing if it
/// has it.
std::optional<std::string> lack_of(Platform platform, const Accelerator& accelerator,
                                   std::string_view called);

/// Of an accelerator that the platform has, by so many. Fails if no machine has as many.
Result<Site> site_of(Platform platform, const Accelerator& accelerator, std::string_view called,
                     std::int64_t count, std::optional<MigStrategy> strategy);

}  // namespace cnsched::accelerators
