#include "core/k8s/volume_mount.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "core/yaml/tree.h"

namespace cnsched::k8s {

namespace {

using yaml::Entry;
using yaml::Node;

const Node& volume_of(const VolumeMount& mount, Arena& arena) {
  const Node& cause = *mount.cause;
  const auto text = [&](std::string_view value) -> const Node& {
    return yaml::string_like(arena, cause, value);
  };
  const auto volume = [&](yaml::Key type, const std::vector<Entry>& source) -> const Node& {
    return yaml::mapping_like(
        arena, cause,
        {yaml::entry_of(arena, "name"_key, text(mount.volume)),
         yaml::entry_of(arena, type, yaml::mapping_like(arena, cause, source))});
  };
  const auto entry = [&](yaml::Key key, std::string_view value) {
    return yaml::entry_of(arena, key, text(value));
  };
  if (!mount.claim.empty()) {
    return volume("persistentVolumeClaim"_key, {entry("claimName"_key, mount.claim)});
  }
  if (!mount.image.empty()) {
    return volume("image"_key,
                  {entry("reference"_key, mount.image), entry("pullPolicy"_key, "IfNotPresent")});
  }
  if (!mount.secret.empty()) return volume("secret"_key, {entry("secretName"_key, mount.secret)});
  return volume("emptyDir"_key, {});
}

const Node& mount_of(const VolumeMount& mount, Arena& arena) {
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
const Node& with_each(const Node& list, std::span<const VolumeMount> mounts, Arena& arena,
                      Make make) {
  std::vector<const Node*> items(list.items().begin(), list.items().end());
  std::unordered_set<std::string_view> names;
  for (const Node* item : items) names.insert((*item)["name"].text());
  const std::size_t before = items.size();
  for (const VolumeMount& mount : mounts) {
    if (names.insert(mount.volume).second) items.push_back(&make(mount, arena));
  }
  if (items.size() == before) return list;
  return yaml::sequence_like(arena, list ? list : *mounts.front().cause, items);
}

}  // namespace

const Node& with_volumes(const Node& volumes, std::span<const VolumeMount> mounts, Arena& arena) {
  return with_each(volumes, mounts, arena, volume_of);
}

const Node& with_mounts(const Node& container, std::span<const VolumeMount> mounts, Arena& arena) {
  const Node& list = container["volumeMounts"];
  const Node& mounted = with_each(list, mounts, arena, mount_of);
  return &mounted == &list ? container : yaml::with(arena, container, "volumeMounts"_key, mounted);
}

ClaimAddress::ClaimAddress(std::string_view uri) {
  uri.remove_prefix(kScheme.size());
  const std::size_t slash = std::min(uri.find('/'), uri.size());
  claim = uri.substr(0, slash);
  path = uri.substr(std::min(slash + 1, uri.size()));
}

}  // namespace cnsched::k8s
