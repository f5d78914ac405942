#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/base/arena.h"
#include "core/yaml/node.h"

namespace cnsched::kserve {

/// The volume and path of a model's files.
struct ModelMount {
  const yaml::Node* cause = nullptr;  ///< the node that requires it
  std::string volume;
  std::string path;
  std::string claim{};     ///< of a PersistentVolumeClaim; empty for an emptyDir
  std::string sub_path{};  ///< within the volume
  bool read_only = false;
};

/// A pod's `volumes` (may be missing) with the volumes of the mounts, which have the spans of their
/// causes. Skips a volume whose name exists.
const yaml::Node& with_volumes(const yaml::Node& volumes, std::span<const ModelMount> mounts,
                               Arena& arena);
/// `container` with the mounts. Skips a volume that it already mounts, but not one at a path in
/// use: KServe does not compare paths.
const yaml::Node& with_mounts(const yaml::Node& container, std::span<const ModelMount> mounts,
                              Arena& arena);

/// KServe's name of the volume for a path: "mnt-models" for "/mnt/models" [K34]. Source: kserve
/// pkg/utils/storage.go, GetVolumeNameFromPath.
std::string volume_name(std::string_view path);
/// The deepest common directory of two paths [K34]. Source: the same, FindCommonParentPath.
std::string common_directory(std::string_view a, std::string_view b);

}  // namespace cnsched::kserve
