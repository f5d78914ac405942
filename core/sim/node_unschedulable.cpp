// Source: pkg/scheduler/framework/plugins/nodeunschedulable/node_unschedulable.go.

#include "core/sim/plugins.h"

namespace cnsched::sim {

namespace {

constexpr k8s::Taint kTaint{nullptr, "node.kubernetes.io/unschedulable", "", k8s::kNoSchedule};

bool minds(const Pod& pod) {
  return pod.node_name.empty() && !k8s::tolerated(kTaint, pod.tolerations);
}

void filter(const Pod& pod, const Cluster& cluster, Objections& objections) {
  if (!minds(pod)) return;
  objections.add("node(s) were unschedulable", cluster.unschedulable());
}

void explain(const Pod& pod, const Cluster& cluster, std::size_t node,
             std::vector<Obstacle>& obstacles) {
  if (!minds(pod) || !cluster.unschedulable().contains(node)) return;
  obstacles.push_back({.plugin = &node_unschedulable,
                       .text = "is cordoned (spec.unschedulable)",
                       .on_node = &cluster.node(node).object->spec()["unschedulable"]});
}

}  // namespace

constinit const Plugin node_unschedulable{
    .name = "NodeUnschedulable", .filter = filter, .explain = explain};

}  // namespace cnsched::sim
