#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/base/arena.h"
#include "core/yaml/node.h"

namespace cnsched::k8s {

/// A volume that a controller adds to a pod, and the path where it mounts it.
struct VolumeMount {
  const yaml::Node* cause = nullptr;  ///< the node that requires it
  std::string volume;
  std::string path;
  // What the volume holds; an emptyDir if all are empty.
  std::string claim{};  ///< of a PersistentVolumeClaim
  std::string image{};  ///< an OCI image
  std::string secret{};
  std::string sub_path{};  ///< within the volume
  bool read_only = false;
};

/// A pod's `volumes` (may be missing) with the volumes of the mounts, which have the spans of their
/// causes. Skips a volume whose name exists.
const yaml::Node& with_volumes(const yaml::Node& volumes, std::span<const VolumeMount> mounts,
                               Arena& arena);
/// `container` with the mounts. Skips a volume that it already mounts, but not one at a path in
/// use: controllers do not compare paths.
const yaml::Node& with_mounts(const yaml::Node& container, std::span<const VolumeMount> mounts,
                              Arena& arena);

/// The parts of "pvc://claim/path", an address of a model's files.
struct ClaimAddress {
  static constexpr std::string_view kScheme = "pvc://";

  std::string claim;
  std::string path;  ///< empty for the whole volume

  explicit ClaimAddress(std::string_view uri);
};

}  // namespace cnsched::k8s
