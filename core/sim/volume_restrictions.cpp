// Source: pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go.

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/sim/plugin.h"
#include "core/yaml/scalar.h"

namespace cnsched::sim {

namespace {

using yaml::Node;

bool is_read_only(const Node& disk) { return yaml::boolean_of(disk["readOnly"].text()) == true; }

bool share_monitor(const Node& a, const Node& b) {
  return std::ranges::any_of(a["monitors"].items(), [&](const Node* monitor) {
    return std::ranges::any_of(b["monitors"].items(),
                               [&](const Node* other) { return monitor->text() == other->text(); });
  });
}

/// The API server sets the pool "rbd".
std::string_view pool_of(const Node& rbd) {
  const std::string_view pool = rbd["pool"].text();
  return pool.empty() ? "rbd" : pool;
}

bool is_same_rbd(const Node& a, const Node& b) {
  return share_monitor(a, b) && pool_of(a) == pool_of(b) && a["image"].text() == b["image"].text();
}

/// Whether both volumes are one disk that only one pod can write.
bool conflict(const Node& a, const Node& b) {
  const auto both = [&](std::string_view source, auto is_same) {
    return a.under(source).is_mapping() && b.under(source).is_mapping() &&
           is_same(a.under(source), b.under(source));
  };
  const auto by = [](std::string_view field) {
    return [field](const Node& x, const Node& y) {
      return x.under(field).text() == y.under(field).text();
    };
  };
  const auto are_read_only = [&](std::string_view source) {
    return is_read_only(a.under(source)) && is_read_only(b.under(source));
  };
  return (both("gcePersistentDisk", by("pdName")) && !are_read_only("gcePersistentDisk")) ||
         both("awsElasticBlockStore", by("volumeID")) ||
         (both("iscsi", by("iqn")) && !are_read_only("iscsi")) ||
         (both("rbd", is_same_rbd) && !are_read_only("rbd"));
}

/// The first volume of the pod that conflicts with one of `other`; null if there is none.
const PodVolume* conflicting_disk(const Pod& pod, const Pod& other, Steps& steps) {
  constexpr std::uint64_t kStepsOfDisk = 8;
  for (const PodVolume& volume : pod.volumes) {
    if (volume.has_claim()) continue;
    if (!steps.spend(kStepsOfDisk * other.volumes.size())) break;
    for (const PodVolume& used : other.volumes) {
      if (!used.has_claim() && conflict(*volume.node, *used.node)) return &volume;
    }
  }
  return nullptr;
}

NodeSet filter_by_disks(const Pod& pod, const Cluster& cluster, FilterResult& result) {
  NodeSet rejected = cluster.none();
  for (const std::uint32_t index : cluster.storage().disk_users()) {
    const RunningPod& running = cluster.pods()[index];
    if (!cluster.is_on_current_node(running) || rejected.contains(running.node)) continue;
    const PodVolume* volume = conflicting_disk(pod, running.pod, cluster.steps());
    if (volume == nullptr) continue;
    rejected.insert(running.node);
    if (!result.is_explained(running.node)) continue;
    PodSample user;
    user.add(running);
    result.add_cause(running.node,
                     {.text = fmt::format("the disk of volume '{}' is in use by {} on the node",
                                          printable(volume->name), user.text()),
                      .in_pod = volume->node});
  }
  return rejected;
}

/// The claims of the pod that only one pod can use, and that others use.
void filter_by_single_use(const Pod& pod, const Cluster& cluster, NodeSet nodes,
                          FilterResult& result) {
  bool is_used = false;
  for (const PodVolume& volume : pod.volumes) {
    if (volume.kind != PodVolume::Kind::claim) continue;
    const Claim claim = cluster.storage().claim_of(volume, pod, cluster);
    if (!claim.has_access_mode("ReadWriteOncePod")) continue;
    PodSample users;
    for (const std::uint32_t index : cluster.storage().users(claim.key)) {
      const RunningPod& running = cluster.pods()[index];
      if (cluster.is_on_current_node(running)) users.add(running);
    }
    if (users.count() == 0) continue;
    is_used = true;
    const auto text = [&] {
      return fmt::format("{} has access mode 'ReadWriteOncePod' and is in use by {}", claim.text(),
                         users.text());
    };
    result.explain(nodes, Cause{.text = result.text(text), .in_pod = volume.node});
  }
  if (!is_used) return;
  result.reject(Status::unschedulable,
                "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access "
                "mode already in-use by another pod",
                std::move(nodes));
}

void filter_by_restrictions(const Pod& pod, const Cluster& cluster, FilterResult& result) {
  if (pod.volumes.empty()) return;
  for (const PodVolume& volume : pod.volumes) {
    if (volume.kind != PodVolume::Kind::claim) continue;
    const Claim claim = cluster.storage().claim_of(volume, pod, cluster);
    if (claim.state != Claim::State::missing) continue;
    // It may be created later.
    if (cluster.view() == Cluster::View::lasting) return;
    return result.reject_pod(
        Status::unresolvable,
        fmt::format("persistentvolumeclaim \"{}\" not found", printable(claim.name())), cluster);
  }
  NodeSet rejected = filter_by_disks(pod, cluster, result);
  NodeSet others = cluster.all() - rejected;
  result.reject(Status::unschedulable, "node(s) had no available disk", std::move(rejected));
  filter_by_single_use(pod, cluster, std::move(others), result);
}

}  // namespace

constinit const Plugin volume_restrictions{.name = "VolumeRestrictions",
                                           .filter = filter_by_restrictions};

}  // namespace cnsched::sim
