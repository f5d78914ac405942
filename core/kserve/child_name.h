#pragma once

#include <string>
#include <string_view>

namespace cnsched::kserve {

/// The name of an object that a controller creates from the object `parent`: `parent` and `suffix`.
/// If they have more than the 63 characters of a label, a hash replaces a part [N17]. Source:
/// knative.dev/pkg kmeta/names.go, ChildName.
std::string child_name(std::string_view parent, std::string_view suffix);

/// KServe's name of the volume for a path: "mnt-models" for "/mnt/models" [K34]. Source: kserve
/// pkg/utils/storage.go, GetVolumeNameFromPath.
std::string volume_name(std::string_view path);
/// The deepest common directory of two paths [K34]. Source: the same, FindCommonParentPath.
std::string common_directory(std::string_view a, std::string_view b);

}  // namespace cnsched::kserve
