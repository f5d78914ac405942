// Source: pkg/scheduler/framework/runtime/framework.go, RunFilterPluginsWithNominatedPods, of
// kube-scheduler 1.36: a node is filtered with its nominated pods first, then without them.

#include "core/sim/nominated_pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace cnsched::sim {

namespace {

bool rejects(const std::vector<Rejection>& rejections, std::size_t node) {
  return std::ranges::any_of(rejections, [&](const Rejection& rejection) {
    return rejection.is_certain && rejection.nodes.contains(node);
  });
}

std::vector<Rejection> rejections_with(const std::vector<std::size_t>& pods, const Pod& pod,
                                       Cluster& cluster) {
  for (const std::size_t nominated : pods) cluster.restore(nominated);
  std::vector<Rejection> rejections = rejections_of(pod, cluster);
  for (const std::size_t nominated : pods) cluster.evict(nominated);
  return rejections;
}

/// Replaces what is reported of one node. Both are in the order of the plugins.
void replace(std::size_t node, const std::vector<Rejection>& by, const Cluster& cluster,
             std::vector<Rejection>& rejections) {
  NodeSet only = cluster.none();
  only.insert(node);
  for (Rejection& rejection : rejections) rejection.nodes -= only;
  const auto order = [](const Rejection& rejection) {
    return std::ranges::find(plugins(), rejection.plugin) - plugins().begin();
  };
  for (const Rejection& rejection : by) {
    if (!rejection.nodes.contains(node)) continue;
    const auto place = std::ranges::upper_bound(rejections, order(rejection), std::less<>(), order);
    rejections.insert(place, rejection)->nodes = only;
  }
}

/// kube-scheduler filters the node for which it evicted pods first, even if the names of nodes that
/// the pod requires exclude it, and then names its plugin among those. Source:
/// pkg/scheduler/schedule_one.go, findNodesThatFitPod and evaluateNominatedNode.
void filter_nominated_node(const Pod& pod, const Cluster& cluster,
                           std::vector<Rejection>& rejections) {
  const auto node = cluster.find(pod.nominated_node);
  // It is the first plugin.
  const auto end = std::ranges::find_if(rejections, [](const Rejection& rejection) {
    return rejection.plugin != &node_affinity_pre_filter;
  });
  const std::span<Rejection> by_name(rejections.begin(), end);
  if (!node || by_name.empty()) return;
  NodeSet only = cluster.none();
  only.insert(*node);
  for (Rejection& rejection : by_name) rejection.nodes -= only;
  const auto first = std::ranges::find_if(rejections, [&](const Rejection& rejection) {
    return rejection.is_certain && rejection.nodes.contains(*node);
  });
  const std::string_view own = node_affinity_pre_filter.name;
  if (first == rejections.end() || first->plugin->name == own) return;
  std::vector<std::string_view> names{own, first->plugin->name};
  std::ranges::sort(names);
  for (Rejection& rejection : by_name) {
    rejection.reason = fmt::format("node(s) didn't satisfy plugin(s) [{}]", fmt::join(names, " "));
  }
}

}  // namespace

NominatedPods nominated_before(const Pod& pod, const Cluster& cluster) {
  NominatedPods nominated;
  for (const std::size_t index : cluster.nominated_pods()) {
    const RunningPod& other = cluster.pods()[index];
    const bool is_itself = other.pod.ns == pod.ns && other.pod.name == pod.name;
    if (is_itself || !(other.pod.priority.value >= pod.priority.value)) continue;
    nominated[other.node].push_back(index);
  }
  return nominated;
}

std::vector<Rejection> rejections_on(std::size_t node, const NominatedPods& nominated,
                                     const Pod& pod, Cluster& cluster) {
  const auto pods = nominated.find(node);
  if (pods != nominated.end()) {
    std::vector<Rejection> rejections = rejections_with(pods->second, pod, cluster);
    if (rejects(rejections, node)) return rejections;
  }
  return rejections_of(pod, cluster);
}

Diagnosis diagnose(const Pod& pod, Cluster& cluster) {
  std::vector<Rejection> rejections = rejections_of(pod, cluster);
  const bool is_of_pod =
      std::ranges::find(rejections, true, &Rejection::is_of_pod) != rejections.end();
  if (!is_of_pod) {
    for (const auto& [node, pods] : nominated_before(pod, cluster)) {
      const std::vector<Rejection> with = rejections_with(pods, pod, cluster);
      if (rejects(with, node)) replace(node, with, cluster, rejections);
    }
    filter_nominated_node(pod, cluster, rejections);
  }
  return {pod, cluster, std::move(rejections)};
}

}  // namespace cnsched::sim
