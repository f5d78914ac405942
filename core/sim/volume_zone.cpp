// Source: pkg/scheduler/framework/plugins/volumezone/volume_zone.go; k8s.io/cloud-provider
// volume/helpers/zones.go, LabelZonesToSet.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "core/base/text.h"
#include "core/sim/attachments.h"
#include "core/sim/csi_translation.h"
#include "core/sim/plugin.h"

namespace cnsched::sim {

namespace {

constexpr auto kTopologyLabels =
    std::to_array<std::string_view>({kBetaZone, kBetaRegion, kZone, kRegion});

/// The label of a volume that the node's label must match.
struct VolumeTopology {
  std::string_view key;
  std::vector<std::string_view> values;
  const k8s::Object* volume = nullptr;
  const PodVolume* in_pod = nullptr;
};

/// "a" and "b" of "a__b". Nothing if a value is empty: kube-scheduler ignores the label.
std::vector<std::string_view> zones_of_label(std::string_view label) {
  std::vector<std::string_view> zones = zones_in(label);
  for (std::string_view& zone : zones) zone = trim(zone);
  if (std::ranges::any_of(zones, &std::string_view::empty)) return {};
  return zones;
}

/// The volume of a claim that is bound, or of which the simulation decided the volume. A missing
/// volume rejects the pod.
std::optional<std::uint32_t> bound_volume(const Claim& claim, const Cluster& cluster,
                                          FilterResult& result) {
  const Storage& storage = cluster.storage();
  if (const SettledClaim* settled = storage.settled(claim.key)) return settled->volume;
  const std::string_view name = claim.spec()["volumeName"].text();
  if (name.empty()) return std::nullopt;
  const auto volume = storage.facts().volume(name);
  if (!volume && claim.is_given() && cluster.knows_all(k8s::SchedulingKind::volume) &&
      cluster.view() == Cluster::View::now) {
    result.reject_pod(Status::unresolvable,
                      fmt::format("persistentvolume \"{}\" not found", printable(name)), cluster);
  }
  return volume;
}

std::vector<VolumeTopology> topologies_of(const Pod& pod, const Cluster& cluster,
                                          FilterResult& result) {
  std::vector<VolumeTopology> topologies;
  for (const PodVolume& volume : pod.volumes) {
    if (volume.kind != PodVolume::Kind::claim) continue;
    const Claim claim = cluster.storage().claim_of(volume, pod, cluster);
    const auto bound = bound_volume(claim, cluster, result);
    if (!bound) continue;
    const k8s::Object& object = *cluster.storage().facts().volumes()[*bound].object;
    for (const std::string_view key : kTopologyLabels) {
      const yaml::Node& label = object.labels().under(key);
      if (!label) continue;
      std::vector<std::string_view> values = zones_of_label(label.text());
      if (!values.empty()) topologies.push_back({key, std::move(values), &object, &volume});
    }
  }
  return topologies;
}

std::string_view current_key(std::string_view key) {
  if (key == kBetaZone) return kZone;
  return key == kBetaRegion ? kRegion : key;
}

/// The node's label for the volume's.
std::optional<std::string_view> value_on(std::size_t node, std::string_view key,
                                         const Cluster& cluster) {
  for (const std::string_view each : {key, current_key(key)}) {
    const LabelColumn* column = cluster.label(each);
    const auto value = column == nullptr ? std::nullopt : column->value_of(node);
    if (value) return value;
  }
  return std::nullopt;
}

/// The nodes whose label for the volume's has one of the values.
NodeSet nodes_in(const VolumeTopology& topology, const Cluster& cluster) {
  const auto matches = [&](std::optional<std::string_view> value) {
    return value && std::ranges::find(topology.values, *value) != topology.values.end();
  };
  NodeSet nodes = cluster.none();
  const LabelColumn* column = cluster.label(topology.key);
  if (column != nullptr) nodes = column->where(matches);
  const LabelColumn* current = cluster.label(current_key(topology.key));
  if (current == nullptr || current == column) return nodes;
  NodeSet by_current = current->where(matches);
  if (column != nullptr) by_current -= column->nodes();
  return nodes |= by_current;
}

/// The nodes that have any of the labels; others fit every volume.
NodeSet nodes_with_topology(const Cluster& cluster) {
  NodeSet nodes = cluster.none();
  for (const std::string_view key : kTopologyLabels) {
    const LabelColumn* column = cluster.label(key);
    if (column != nullptr) nodes |= column->nodes();
  }
  return nodes;
}

void filter_by_zones(const Pod& pod, const Cluster& cluster, FilterResult& result) {
  if (pod.volumes.empty()) return;
  const std::vector<VolumeTopology> topologies = topologies_of(pod, cluster, result);
  if (topologies.empty()) return;
  const NodeSet with_topology = nodes_with_topology(cluster);
  NodeSet rejected = cluster.none();
  NodeSet perhaps = cluster.none();
  for (const VolumeTopology& topology : topologies) {
    NodeSet outside = cluster.all() - nodes_in(topology, cluster);
    NodeSet unlisted = outside & cluster.may_have_label(current_key(topology.key));
    for (const std::string_view key : {topology.key, current_key(topology.key)}) {
      if (const LabelColumn* column = cluster.label(key)) unlisted -= column->nodes();
    }
    outside &= with_topology;
    outside -= unlisted;
    result.explain(outside, [&](std::size_t node) {
      const auto value = value_on(node, topology.key, cluster);
      return Cause{
          .text = fmt::format(
              "PersistentVolume '{}' of volume '{}' has label '{}' '{}', and the node {}",
              printable(topology.volume->name), printable(topology.in_pod->name), topology.key,
              printable(topology.volume->labels().under(topology.key).text()),
              value ? fmt::format("'{}'", printable(*value)) : "has none"),
          .in_pod = topology.in_pod->node};
    });
    rejected |= outside;
    perhaps |= unlisted;
  }
  result.reject(Status::unresolvable, "node(s) had no available volume zone", rejected);
  result.reject_perhaps(
      "unknown whether the pool's nodes are in the zone of the pod's volumes: the pool does not "
      "list the labels",
      perhaps - rejected);
}

}  // namespace

constinit const Plugin volume_zone{.name = "VolumeZone", .filter = filter_by_zones};

}  // namespace cnsched::sim
