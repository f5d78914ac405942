#pragma once

#include <string_view>

namespace cnsched::sim {

// Labels of Nodes and PersistentVolumes, and those that preceded them in releases before 1.17.
inline constexpr std::string_view kZone = "topology.kubernetes.io/zone";
inline constexpr std::string_view kRegion = "topology.kubernetes.io/region";
inline constexpr std::string_view kBetaZone = "failure-domain.beta.kubernetes.io/zone";
inline constexpr std::string_view kBetaRegion = "failure-domain.beta.kubernetes.io/region";

}  // namespace cnsched::sim
