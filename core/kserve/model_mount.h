#pragma once

#include <string>
#include <string_view>

#include "core/base/arena.h"
#include "core/yaml/node.h"

namespace cnsched::kserve {

/// Where a model's files are put.
struct ModelMount {
  std::string volume;
  std::string path;
  std::string claim{};     ///< of a PersistentVolumeClaim; empty for an emptyDir
  std::string sub_path{};  ///< within the volume
  bool read_only = false;
};

/// `pod` with the volume, made like `cause`; unchanged if it has one of that name.
const yaml::Node& with_volume(const yaml::Node& pod, const ModelMount& mount,
                              const yaml::Node& cause, Arena& arena);
/// `container` with the mount, made like `cause`; unchanged if it mounts that volume already.
/// Another volume at the same path is no hindrance: KServe does not look.
const yaml::Node& with_mount(const yaml::Node& container, const ModelMount& mount,
                             const yaml::Node& cause, Arena& arena);

/// The name that KServe gives the volume for a path: "/mnt/models" is "mnt-models". Source: kserve
/// pkg/utils/storage.go, GetVolumeNameFromPath.
std::string volume_name(std::string_view path);
/// The deepest directory that holds both. Source: the same, FindCommonParentPath.
std::string common_directory(std::string_view a, std::string_view b);

}  // namespace cnsched::kserve
