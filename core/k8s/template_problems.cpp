#include "core/k8s/template_problems.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/base/text.h"
#include "core/k8s/label.h"
#include "core/k8s/object.h"
#include "core/yaml/tree.h"

namespace cnsched::k8s {

namespace {

using yaml::Node;

/// Names that were seen, and where.
using Names = std::unordered_map<std::string_view, const Node*>;

class Check {
 public:
  Check(const PodSpec& pod, bool images_known) : pod_(pod), images_known_(images_known) {}

  std::vector<TemplateProblem> result() && {
    Names containers;
    for (const Container& container : pod_.all_containers()) check_container(container, containers);
    Names volumes;
    for (const Node* volume : pod_["volumes"].items()) check_volume(*volume, volumes);
    return std::move(found_);
  }

 private:
  void add(const Node& where, const Node* other, std::string what, std::string help) {
    found_.push_back({&where, other, std::move(what), std::move(help)});
  }

  void check_container(const Container& container, Names& names) {
    const Node& name = (*container.node)["name"];
    const std::string_view text = name.text();
    if (is_placeholder(text)) return;
    const Node& place = name ? name : *container.node;
    if (!text.empty() && (!is_dns_part(text) || text.size() > kMaxLength)) {
      add(place, nullptr, fmt::format("'{}' is not a name of a container", printable(text)),
          "write at most 63 lower-case letters, digits and '-'");
    }
    const auto [first, is_new] = names.try_emplace(text, &place);
    if (!is_new && !text.empty()) {
      add(place, first->second, fmt::format("two containers are named '{}'", printable(text)),
          "write another name");
    }
    if (!images_known_ || !(*container.node)["image"].text().empty()) return;
    add(place, nullptr, fmt::format("container '{}' has no image", printable(text)), "add 'image'");
  }

  void check_volume(const Node& volume, Names& names) {
    const Node& name = volume["name"];
    if (is_placeholder(name.text()) || name.text().empty()) return;
    const auto [first, is_new] = names.try_emplace(name.text(), &name);
    if (!is_new) {
      add(name, first->second, fmt::format("two volumes are named '{}'", printable(name.text())),
          "write another name");
    }
    std::vector<const Node*> types;
    for (const yaml::Entry& entry : volume.entries()) {
      if (entry.value->is_mapping()) types.push_back(entry.key);
    }
    if (types.size() < 2) return;
    add(*types.back(), types.front(),
        fmt::format("volume '{}' has two types, '{}' and '{}'", printable(name.text()),
                    printable(types.front()->text()), printable(types.back()->text())),
        "give the volume another name, or use the same type");
  }

  static constexpr std::size_t kMaxLength = 63;

  const PodSpec& pod_;
  bool images_known_;
  std::vector<TemplateProblem> found_;
};

}  // namespace

std::vector<TemplateProblem> template_problems(const PodSpec& pod, bool images_known) {
  return Check(pod, images_known).result();
}

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
