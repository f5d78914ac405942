#include "core/kserve/model_mount.h"

#include <algorithm>
#include <unordered_set>

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

const Node& volume_of(const ModelMount& mount, Arena& arena) {
  const Node& cause = *mount.cause;
  const auto text = [&](std::string_view value) -> const Node& {
    return yaml::string_like(arena, cause, value);
  };
  std::vector<Entry> source;
  if (!mount.claim.empty()) {
    source.push_back(yaml::entry_of(arena, "claimName"_key, text(mount.claim)));
  }
  const Node& kind = mount.claim.empty() ? "emptyDir"_key : "persistentVolumeClaim"_key;
  return yaml::mapping_like(
      arena, cause,
      {yaml::entry_of(arena, "name"_key, text(mount.volume)),
       yaml::entry_of(arena, kind, yaml::mapping_like(arena, cause, source))});
}

const Node& mount_of(const ModelMount& mount, Arena& arena) {
  const Node& cause = *mount.cause;
  const auto entry = [&](yaml::Key key, std::string_view value) {
    return yaml::entry_of(arena, key, yaml::string_like(arena, cause, value));
  };
  std::vector<Entry> entries = {entry("name"_key, mount.volume),
                                entry("mountPath"_key, mount.path)};
  if (!mount.sub_path.empty()) entries.push_back(entry("subPath"_key, mount.sub_path));
  if (mount.read_only) {
    entries.push_back(
        yaml::entry_of(arena, "readOnly"_key, yaml::boolean_like(arena, cause, true)));
  }
  return yaml::mapping_like(arena, cause, entries);
}

/// `list` with the item that `make` returns for each mount. Skips a name that exists.
template <typename Make>
const Node& with_each(const Node& list, std::span<const ModelMount> mounts, Arena& arena,
                      Make make) {
  std::vector<const Node*> items(list.items().begin(), list.items().end());
  std::unordered_set<std::string_view> names;
  for (const Node* item : items) names.insert((*item)["name"].text());
  const std::size_t before = items.size();
  for (const ModelMount& mount : mounts) {
    if (names.insert(mount.volume).second) items.push_back(&make(mount, arena));
  }
  if (items.size() == before) return list;
  return yaml::sequence_like(arena, list ? list : *mounts.front().cause, items);
}

}  // namespace

const Node& with_volumes(const Node& volumes, std::span<const ModelMount> mounts, Arena& arena) {
  return with_each(volumes, mounts, arena, volume_of);
}

const Node& with_mounts(const Node& container, std::span<const ModelMount> mounts, Arena& arena) {
  const Node& list = container["volumeMounts"];
  const Node& mounted = with_each(list, mounts, arena, mount_of);
  return &mounted == &list ? container : yaml::with(arena, container, "volumeMounts"_key, mounted);
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
