// Sources: pkg/scheduler/framework/plugins/nodevolumelimits/csi.go, filterAttachableVolumes,
// getVolumeLimits and getNodeVolumeAttachmentInfo, which counts VolumeAttachments from 1.32.
#include "core/sim/attachments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_set>
#include <utility>

#include "core/base/text.h"
#include "core/sim/cluster.h"
#include "core/sim/csi_translation.h"
#include "core/sim/volume_binder.h"
#include "core/yaml/scalar.h"

namespace cnsched::sim {

namespace {

using k8s::SchedulingKind;
using yaml::Node;

std::string volume_id(std::string_view driver, std::string_view handle) {
  return fmt::format("{}/{}", driver, handle);
}

/// The volume of a claim without one is counted by its class.
std::optional<AttachedVolume> volume_of_class(const Claim& claim, const Cluster& cluster,
                                              const Storage& storage) {
  const auto name = storage.class_of(claim, cluster);
  const StorageClass* found = name ? storage.facts().storage_class(*name) : nullptr;
  if (found == nullptr || found->provisioner.empty()) return std::nullopt;
  std::string_view driver = found->provisioner;
  if (is_in_tree_plugin(driver)) driver = driver_of_plugin(driver);
  if (driver.empty()) return std::nullopt;
  // No handle of a volume begins with a blank.
  return AttachedVolume{driver, volume_id(driver, " " + claim.key),
                        claim.state == Claim::State::future && claim.volume->is_own()};
}

std::optional<AttachedVolume> volume_of_claim(const Claim& claim, const Cluster& cluster,
                                              const Storage& storage) {
  auto index = storage.facts().volume(claim.spec()["volumeName"].text());
  const SettledClaim* settled = claim.volume->is_own() ? nullptr : storage.settled(claim.key);
  if (settled != nullptr && settled->volume) index = settled->volume;
  if (!index) return volume_of_class(claim, cluster, storage);
  const auto csi = csi_volume_of(*storage.facts().volumes()[*index].object);
  if (!csi || csi->driver.empty() || csi->handle.empty()) return std::nullopt;
  return AttachedVolume{csi->driver, volume_id(csi->driver, csi->handle)};
}

}  // namespace

std::vector<AttachedVolume> attached_volumes(const Pod& pod, const Cluster& cluster,
                                             const Storage& storage, std::string& failure) {
  std::vector<AttachedVolume> attached;
  for (const PodVolume& volume : pod.volumes) {
    if (!volume.has_claim()) {
      const auto csi = csi_volume_of_disk(*volume.node);
      if (!csi) {
        failure = fmt::format("converting volume({}) from inline to csi: {}",
                              printable(volume.name), csi.error().message);
        return attached;
      }
      if (csi->driver.empty()) continue;
      attached.push_back({csi->driver, volume_id(csi->driver, csi->handle)});
      continue;
    }
    const Claim claim = storage.claim_of(volume, pod, cluster);
    if (claim.state != Claim::State::given && claim.state != Claim::State::future) continue;
    if (claim.is_given() && volume.kind == PodVolume::Kind::ephemeral && !is_owner(claim, pod)) {
      failure = not_owned(claim, pod);
      return attached;
    }
    if (auto found = volume_of_claim(claim, cluster, storage)) {
      attached.push_back(*std::move(found));
    }
  }
  return attached;
}

Attachments::Attachments(const Cluster& cluster, const StorageFacts& facts)
    : with_csi_(cluster.none()), with_limits_(cluster.none()) {
  add_csi_nodes(cluster);
  if (drivers_.empty()) return;
  pods_on_.resize(cluster.size());
  add_assumed(cluster);
  add_attached(cluster, facts);
}

void Attachments::add_csi_nodes(const Cluster& cluster) {
  for (const k8s::Object* object : cluster.objects(SchedulingKind::csi_node)) {
    const auto node = cluster.find(object->name);
    if (!node || with_csi_.contains(*node)) continue;
    with_csi_.insert(*node);
    std::map<std::string_view, std::int64_t> limits;  // of duplicate drivers the last
    for (const Node* each : object->spec()["drivers"].items()) {
      const auto count = yaml::integer_of((*each)["allocatable"]["count"]);
      if (count) limits[(*each)["name"].text()] = *count;
    }
    if (!limits.empty()) with_limits_.insert(*node);
    for (const auto& [name, count] : limits) {
      Driver& driver = drivers_[name];
      driver.name = name;
      driver.limits.push_back({static_cast<std::uint32_t>(*node), count, false});
    }
  }
}

void Attachments::add_assumed(const Cluster& cluster) {
  for (auto& [name, driver] : drivers_) {
    driver.at_most.resize(cluster.size());
    const std::int64_t smallest = std::ranges::min_element(driver.limits, {}, &Limit::count)->count;
    cluster.autoscaled().each([&](std::size_t node) {
      driver.limits.push_back({static_cast<std::uint32_t>(node), smallest, true});
    });
  }
}

/// Only volumes of CSI drivers themselves are counted, not those of in-tree plugins.
void Attachments::add_attached(const Cluster& cluster, const StorageFacts& facts) {
  if (cluster.view() == Cluster::View::lasting) return;
  for (const k8s::Object* object : cluster.objects(SchedulingKind::volume_attachment)) {
    const Node& spec = object->spec();
    const auto node = cluster.find(spec["nodeName"].text());
    const auto driver = drivers_.find(spec["attacher"].text());
    if (!node || driver == drivers_.end()) continue;
    const auto volume = facts.volume(spec["source"]["persistentVolumeName"].text());
    if (!volume) continue;
    const k8s::Object& pv = *facts.volumes()[*volume].object;
    const Node& csi = pv.spec()["csi"];
    if (!csi.is_mapping()) continue;
    driver->second.attached[static_cast<std::uint32_t>(*node)].push_back(
        volume_id(driver->first, csi["volumeHandle"].text()));
    ++driver->second.at_most[*node];
  }
}

const Attachments::Driver* Attachments::driver(std::string_view name) const {
  const auto found = drivers_.find(name);
  return found == drivers_.end() ? nullptr : &found->second;
}

void Attachments::add_running(std::uint32_t pod, const Cluster& cluster, const Storage& storage) {
  if (!has_limits()) return;
  const RunningPod& running = cluster.pods()[pod];
  std::string failure;
  std::vector<AttachedVolume> volumes = attached_volumes(running.pod, cluster, storage, failure);
  if (!failure.empty()) failures_.push_back({pod, failure});
  std::erase_if(volumes, [&](const AttachedVolume& v) { return !drivers_.contains(v.driver); });
  if (volumes.empty()) return;
  by_pod_[pod] = std::move(volumes);
  pods_on_[running.node].push_back(pod);
  count(pod, running.node);
}

void Attachments::add_replica(std::uint32_t pod, const Cluster& cluster) {
  if (by_pod_.contains(pod)) count(pod, cluster.pods()[pod].node);
}

void Attachments::count(std::uint32_t pod, std::size_t node) {
  for (const AttachedVolume& volume : by_pod_.at(pod)) ++drivers_.at(volume.driver).at_most[node];
}

std::int64_t Attachments::count_with(const std::vector<AttachedVolume>& volumes,
                                     std::string_view driver, std::size_t node,
                                     const Cluster& cluster) const {
  std::unordered_set<std::string_view> attached;
  std::int64_t own = 0;
  for (const std::uint32_t index : pods_on_[node]) {
    const RunningPod& running = cluster.pods()[index];
    if (!cluster.is_on_current_node(running)) continue;
    for (const AttachedVolume& volume : by_pod_.at(index)) {
      if (volume.driver != driver) continue;
      if (volume.is_own) own += static_cast<std::int64_t>(running.count);
      if (!volume.is_own) attached.insert(volume.id);
    }
  }
  std::unordered_set<std::string_view> added;
  for (const AttachedVolume& volume : volumes) {
    if (volume.driver == driver && !attached.contains(volume.id)) added.insert(volume.id);
  }
  if (added.empty()) return 0;
  std::unordered_set<std::string_view> others;
  const std::map<std::string_view, Driver>::const_iterator found = drivers_.find(driver);
  const auto on_node = found->second.attached.find(static_cast<std::uint32_t>(node));
  if (on_node != found->second.attached.end()) {
    for (const std::string& id : on_node->second) {
      if (!attached.contains(id)) others.insert(id);
    }
  }
  return own + static_cast<std::int64_t>(attached.size() + added.size() + others.size());
}

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
  } else if (std::ranges::any_of(kDisks, [&](std::string_view source) {
               return volume.under(source).is_mapping();
             })) {
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
