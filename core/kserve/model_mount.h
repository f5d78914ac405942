#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/base/arena.h"
#include "core/yaml/node.h"

namespace cnsched::kserve {

/// Where a model's files are put.
struct ModelMount {
  const yaml::Node* cause = nullptr;  ///< what gives rise to it
  std::string volume;
  std::string path;
  std::string claim{};     ///< of a PersistentVolumeClaim; empty for an emptyDir
  std::string sub_path{};  ///< within the volume
  bool read_only = false;
};

/// A pod's `volumes` (which may be missing) with those of the mounts, made like their causes,
/// except those whose names it has.
const yaml::Node& with_volumes(const yaml::Node& volumes, std::span<const ModelMount> mounts,
                               Arena& arena);
/// `container` with the mounts, except those whose volumes it mounts already. Another volume at the
/// same path does not matter: KServe does not look.
const yaml::Node& with_mounts(const yaml::Node& container, std::span<const ModelMount> mounts,
                              Arena& arena);

/// The name that KServe gives the volume for a path: "/mnt/models" is "mnt-models" [K34]. Source:
/// kserve pkg/utils/storage.go, GetVolumeNameFromPath.
std::string volume_name(std::string_view path);
/// The deepest directory that holds both [K34]. Source: the same, FindCommonParentPath.
std::string common_directory(std::string_view a, std::string_view b);

}  // namespace cnsched::kserve
