#pragma once

#include <string_view>

#include "core/base/arena.h"
#include "core/base/result.h"
#include "core/k8s/workloads.h"

namespace cnsched::k8s {

/// Limits of a pod. Only aliases can exceed them.
inline constexpr std::size_t kPodValues = 1'000'000;
inline constexpr std::size_t kPodDepth = 200;

struct PodObjectOptions {
  std::string_view name;  ///< metadata.name
  /// Whether containers without an image get a placeholder for it.
  bool placeholder_images = false;
};

/// The v1/Pod that a controller creates for `pod`, a pod of `object`: fields ordered for
/// readers, quantities in canonical form, each value a new node in `arena` with its position in the
/// manifest. A Pod of a manifest keeps its metadata. Subtracts the number of values from
/// `values_left`, a budget that the caller shares among pods. Fails with "has more than …" if the
/// pod is too large.
Result<const yaml::Node*> pod_object(Arena& arena, const PodTemplate& pod, const Object& object,
                                     const PodObjectOptions& options, std::size_t& values_left);

/// Whether the value is a placeholder for an unknown image.
bool is_placeholder_image(const yaml::Node& node);

}  // namespace cnsched::k8s
