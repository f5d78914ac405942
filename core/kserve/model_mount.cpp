#include "core/kserve/model_mount.h"

#include <algorithm>

#include "core/k8s/pod_spec.h"
#include "core/yaml/tree.h"

namespace cnsched::kserve {

namespace {

using yaml::Entry;
using yaml::Node;

std::string_view without_slashes(std::string_view path) {
  const std::size_t first = path.find_first_not_of('/');
  if (first == std::string_view::npos) return {};
  return path.substr(first, path.find_last_not_of('/') - first + 1);
}

}  // namespace

const Node& with_volume(const Node& pod, const ModelMount& mount, const Node& cause, Arena& arena) {
  const Node& volumes = pod["volumes"];
  if (k8s::item_called(volumes, mount.volume)) return pod;
  const auto text = [&](std::string_view value) -> const Node& {
    return yaml::string_like(arena, cause, value);
  };
  std::vector<Entry> source;
  if (!mount.claim.empty()) {
    source.push_back(yaml::entry_of(arena, "claimName", text(mount.claim)));
  }
  const std::string_view kind = mount.claim.empty() ? "emptyDir" : "persistentVolumeClaim";
  const Node& volume =
      yaml::mapping_like(arena, cause,
                         {yaml::entry_of(arena, "name", text(mount.volume)),
                          yaml::entry_of(arena, kind, yaml::mapping_like(arena, cause, source))});
  return yaml::with(arena, pod, "volumes", yaml::with_item(arena, volumes, volume));
}

const Node& with_mount(const Node& container, const ModelMount& mount, const Node& cause,
                       Arena& arena) {
  const Node& mounts = container["volumeMounts"];
  if (k8s::item_called(mounts, mount.volume)) return container;
  const auto entry = [&](std::string_view key, std::string_view value) {
    return yaml::entry_of(arena, key, yaml::string_like(arena, cause, value));
  };
  std::vector<Entry> entries = {entry("name", mount.volume), entry("mountPath", mount.path)};
  if (!mount.sub_path.empty()) entries.push_back(entry("subPath", mount.sub_path));
  if (mount.read_only) {
    entries.push_back(yaml::entry_of(arena, "readOnly", yaml::boolean_like(arena, cause, true)));
  }
  return yaml::with(arena, container, "volumeMounts",
                    yaml::with_item(arena, mounts, yaml::mapping_like(arena, cause, entries)));
}

std::string volume_name(std::string_view path) {
  std::string name(without_slashes(path));
  std::ranges::replace(name, '/', '-');
  return name;
}

std::string common_directory(std::string_view a, std::string_view b) {
  a = without_slashes(a);
  b = without_slashes(b);
  std::size_t end = 0;
  for (std::size_t i = 0; i <= std::min(a.size(), b.size()); ++i) {
    const bool a_ends = i == a.size() || a[i] == '/';
    const bool b_ends = i == b.size() || b[i] == '/';
    if (a_ends && b_ends) end = i;
    if (i == a.size() || i == b.size() || a[i] != b[i]) break;
  }
  return "/" + std::string(a.substr(0, end));
}

}  // namespace cnsched::kserve
