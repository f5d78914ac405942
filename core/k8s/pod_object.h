#pragma once

#include <string_view>

#include "core/base/arena.h"
#include "core/base/result.h"
#include "core/k8s/pod_template.h"

namespace cnsched::k8s {

/// A pod with more values than this, or deeper, is no pod that anyone wrote: aliases made it.
inline constexpr std::size_t kPodValues = 1'000'000;
inline constexpr std::size_t kPodDepth = 200;

struct PodObjectOptions {
  std::string_view name;  ///< metadata.name
  /// Whether containers without an image get one that stands for what is unknown.
  bool stand_in_images = false;
};

/// The v1/Pod that the API server would be asked to create for `pod`, a pod of `object`: fields in
/// an order for readers, quantities in their canonical form, each value a node of its own in
/// `arena` that knows where it is written. A Pod in a manifest keeps its metadata. Each value is
/// taken off `values_left`, what a caller with many pods can still afford. Fails with "has more
/// than …" if the pod is too large.
Result<const yaml::Node*> pod_object(Arena& arena, const PodTemplate& pod, const Object& object,
                                     const PodObjectOptions& options, std::size_t& values_left);

/// Whether the value is an image that stands for what is unknown.
bool is_stand_in(const yaml::Node& node);

}  // namespace cnsched::k8s
