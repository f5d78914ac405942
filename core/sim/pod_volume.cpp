#include "core/sim/pod_volume.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/yaml/scalar.h"

namespace cnsched::sim {

namespace {

using yaml::Node;

/// Disks for which VolumeRestrictions or NodeVolumeLimits decide.
constexpr auto kDisks =
    std::to_array<std::string_view>({"gcePersistentDisk", "awsElasticBlockStore", "azureDisk",
                                     "cinder", "iscsi", "rbd", "portworxVolume"});

/// The API server accepts only one source for each volume.
void add_volume(const Node& volume, std::vector<PodVolume>& volumes) {
  const std::string_view name = volume["name"].text();
  if (const Node& claim = volume["persistentVolumeClaim"]; claim.is_mapping()) {
    volumes.push_back(
        {PodVolume::Kind::claim, name, &volume, std::string(claim["claimName"].text())});
  } else if (const Node& ephemeral = volume["ephemeral"]; ephemeral.is_mapping()) {
    volumes.push_back({PodVolume::Kind::ephemeral, name, &volume, fmt::format("-{}", name),
                       &ephemeral["volumeClaimTemplate"]});
  } else if (std::ranges::any_of(
                 kDisks, [&](std::string_view source) { return volume[source].is_mapping(); })) {
    volumes.push_back({PodVolume::Kind::disk, name, &volume});
  }
}

/// The name of a claim template: a StatefulSet has it in metadata, Seldon Core beside the spec.
std::string_view name_of_template(const Node& claim_template) {
  const std::string_view name = claim_template["metadata"]["name"].text();
  return name.empty() ? claim_template["name"].text() : name;
}

}  // namespace

/// A claim template replaces a volume of its name. Source: pkg/controller/statefulset/
/// stateful_set_utils.go, updateStorage.
std::vector<PodVolume> volumes_of(const k8s::PodSpec& spec, const Node& claim_templates,
                                  std::string_view set, const Node& start) {
  std::vector<PodVolume> volumes;
  for (const Node* volume : spec["volumes"].items()) add_volume(*volume, volumes);
  const std::size_t written = volumes.size();
  for (const Node* item : claim_templates.items()) {
    const std::string_view name = name_of_template(*item);
    volumes.push_back({PodVolume::Kind::of_set, name, item, fmt::format("{}-{}-", name, set), item,
                       yaml::integer_of(start).value_or(0)});
  }
  if (volumes.size() == written) return volumes;
  const auto is_replaced = [&](const PodVolume& volume) {
    return std::any_of(volumes.begin() + static_cast<std::ptrdiff_t>(written), volumes.end(),
                       [&](const PodVolume& own) { return own.name == volume.name; });
  };
  std::vector<PodVolume> kept;
  for (std::size_t i = 0; i < volumes.size(); ++i) {
    if (i >= written || !is_replaced(volumes[i])) kept.push_back(std::move(volumes[i]));
  }
  return kept;
}

}  // namespace cnsched::sim
