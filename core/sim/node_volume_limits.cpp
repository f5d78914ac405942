// Source: pkg/scheduler/framework/plugins/nodevolumelimits/csi.go. The plugin's feature
// VolumeLimitScaling is off by default in 1.36.

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "core/base/text.h"
#include "core/sim/plugin.h"

namespace cnsched::sim {

namespace {

constexpr std::string_view kNotKnown = "kubernetes.io/no-provisioner";

std::string error_of(std::string_view message) {
  return fmt::format("running \"NodeVolumeLimits\" filter plugin: {}", message);
}

/// Nodes where the volumes of a running pod cannot be counted.
void fail_by_running_pods(const Cluster& cluster, FilterResult& result) {
  const Attachments& attachments = cluster.storage().attachments();
  for (const auto& [pod, message] : attachments.failures()) {
    const RunningPod& running = cluster.pods()[pod];
    if (!cluster.is_on_current_node(running) || !attachments.with_limits().contains(running.node)) {
      continue;
    }
    NodeSet nodes = cluster.none();
    nodes.insert(running.node);
    result.fail(error_of(message), std::move(nodes));
  }
}

/// The nodes that cannot attach so many volumes of a driver.
void filter_by_driver(const std::vector<AttachedVolume>& volumes, const Attachments::Driver& driver,
                      const Cluster& cluster, NodeSet& rejected, FilterResult& result) {
  std::unordered_set<std::string_view> added;
  for (const AttachedVolume& volume : volumes) {
    if (volume.driver == driver.name) added.insert(volume.id);
  }
  NodeSet perhaps = cluster.none();
  for (const auto& [node, limit, is_assumed] : driver.limits) {
    if (static_cast<std::int64_t>(driver.at_most[node] + added.size()) <= limit) continue;
    const std::int64_t count =
        cluster.storage().attachments().count_with(volumes, driver.name, node, cluster);
    if (count == 0 || count <= limit) continue;
    (is_assumed ? perhaps : rejected).insert(node);
    if (!result.is_explained(node)) continue;
    result.add_cause(node,
                     {.text = fmt::format(
                          "the pod needs {} more of driver '{}': the node would attach {}, and its "
                          "CSINode allows {}",
                          count_of(added.size(), "volume"), printable(driver.name), count, limit)});
  }
  result.reject_perhaps(fmt::format("whether new nodes can attach so many volumes of driver '{}' "
                                    "is not known",
                                    printable(driver.name)),
                        std::move(perhaps));
}

void filter_by_limits(const Pod& pod, const Cluster& cluster, FilterResult& result) {
  if (pod.volumes.empty()) return;
  const Attachments& attachments = cluster.storage().attachments();
  std::string failure;
  const std::vector<AttachedVolume> volumes =
      attached_volumes(pod, cluster, cluster.storage(), failure);
  if (!failure.empty()) return result.fail(error_of(failure), attachments.with_csi());
  if (volumes.empty()) return;
  if (!cluster.knows_all(k8s::SchedulingKind::csi_node) && !volumes.empty()) {
    const auto counted = std::ranges::find_if(
        volumes, [](const AttachedVolume& volume) { return volume.driver != kNotKnown; });
    if (counted == volumes.end()) return;
    return result.reject_perhaps(
        not_given(fmt::format("how many volumes of driver '{}' the node can attach is not known: "
                              "CSINodes are not given",
                              printable(counted->driver)),
                  "csinodes"),
        cluster.all() - cluster.autoscaled());
  }
  if (!attachments.has_limits()) return;
  fail_by_running_pods(cluster, result);
  NodeSet rejected = cluster.none();
  std::vector<const Attachments::Driver*> drivers;
  for (const AttachedVolume& volume : volumes) {
    const Attachments::Driver* driver = attachments.driver(volume.driver);
    if (driver == nullptr || std::ranges::find(drivers, driver) != drivers.end()) continue;
    drivers.push_back(driver);
    filter_by_driver(volumes, *driver, cluster, rejected, result);
  }
  result.reject(Status::unschedulable, "node(s) exceed max volume count", std::move(rejected));
}

}  // namespace

constinit const Plugin node_volume_limits{.name = "NodeVolumeLimits", .filter = filter_by_limits};

}  // namespace cnsched::sim
