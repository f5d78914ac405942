#pragma once

#include <string>
#include <string_view>

namespace cnsched::kserve {

/// KServe's name of the volume for a path: "mnt-models" for "/mnt/models" [K34]. Source: kserve
/// pkg/utils/storage.go, GetVolumeNameFromPath.
std::string volume_name(std::string_view path);
/// The deepest common directory of two paths [K34]. Source: the same, FindCommonParentPath.
std::string common_directory(std::string_view a, std::string_view b);

}  // namespace cnsched::kserve
