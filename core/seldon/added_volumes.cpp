#include "core/seldon/added_volumes.h"

#include <string>
#include <vector>

#include "core/k8s/pod_spec.h"
#include "core/k8s/volume_mount.h"
#include "core/yaml/tree.h"

namespace cnsched::seldon {

namespace {

using yaml::Node;

constexpr std::string_view kPodInfo = "seldon-podinfo";

const Node& pod_info_volume(Arena& arena) {
  const auto text = [&](yaml::Key key, std::string_view value) {
    return yaml::entry_of(arena, key, yaml::string_like(arena, yaml::nowhere(), value));
  };
  const auto mapping = [&](const std::vector<yaml::Entry>& entries) -> const Node& {
    return yaml::mapping_like(arena, yaml::nowhere(), entries);
  };
  const Node& field = mapping({text("fieldPath"_key, "metadata.annotations")});
  const Node& file =
      mapping({text("path"_key, "annotations"), yaml::entry_of(arena, "fieldRef"_key, field)});
  const Node& files = yaml::sequence_like(arena, yaml::nowhere(), {&file});
  const Node& source = mapping({yaml::entry_of(arena, "items"_key, files)});
  return mapping({text("name"_key, kPodInfo), yaml::entry_of(arena, "downwardAPI"_key, source)});
}

const Node& with_volume(const Node& pod, const Node& volume, Arena& arena) {
  return yaml::with(arena, pod, "volumes"_key, yaml::with_item(arena, pod["volumes"], volume));
}

}  // namespace

const Node& with_pod_info(const Node& pod, Arena& arena) {
  if (k8s::item_named(pod["volumes"], kPodInfo)) return pod;
  return with_volume(pod, pod_info_volume(arena), arena);
}

const Node& with_pod_info_mount(const Node& container, Arena& arena) {
  const k8s::VolumeMount mount{
      .cause = &yaml::nowhere(), .volume = std::string(kPodInfo), .path = "/etc/podinfo"};
  return k8s::with_mounts(container, {&mount, 1}, arena);
}

const Node& with_certificate(const Node& pod, const Node& secret, Arena& arena) {
  if (secret.text().empty()) return pod;
  const k8s::VolumeMount mount{
      .cause = &secret, .volume = "seldon-cert-volume", .path = "/cert/", .read_only = true};
  const Node& source =
      yaml::mapping_like(arena, secret, {yaml::entry_of(arena, "secretName"_key, secret)});
  const Node& volume = yaml::mapping_like(
      arena, secret,
      {yaml::entry_of(arena, "name"_key, yaml::string_like(arena, secret, mount.volume)),
       yaml::entry_of(arena, "secret"_key, source)});
  std::vector<const Node*> containers;
  for (const Node* container : pod["containers"].items()) {
    containers.push_back(&k8s::with_mounts(*container, {&mount, 1}, arena));
  }
  const Node& mounted = yaml::with(arena, pod, "containers"_key,
                                   yaml::sequence_like(arena, pod["containers"], containers));
  return with_volume(mounted, volume, arena);
}

}  // namespace cnsched::seldon
