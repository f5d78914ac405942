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

/// The nodes on which a platform has an accelerator: what they advertise, and how to select them.
struct NodeProfile {
  std::string resource;
  std::vector<LabelDemand> demands;
  LabelDemand elsewhere;
  std::vector<LabelValue> owner_labels;  ///< labels that the owner puts on the nodes
  std::optional<std::string> machine_type;
};

/// The name of the card in Karpenter, which may cover several sizes; nothing if it has none.
std::optional<std::string> karpenter_name(const Card& card);

/// "GKE".
std::string_view title_of(Platform platform);

/// The accelerator as the platform names it: an exact name means any such card where another tool
/// writes the labels.
const Accelerator& as_named_on(Platform platform, const Accelerator& accelerator);

/// Why the platform does not have the accelerator, which messages call `requested`; nothing if it
/// does.
std::optional<std::string> reason_unavailable(Platform platform, const Accelerator& accelerator,
                                              std::string_view requested);

/// The nodes with `count` of an accelerator that the platform has. Fails if no machine has as many.
Result<NodeProfile> node_profile(Platform platform, const Accelerator& accelerator,
                                 std::string_view requested, std::int64_t count,
                                 std::optional<MigStrategy> strategy);

}  // namespace cnsched::accelerators
