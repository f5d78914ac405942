// Source: pkg/scheduler/framework/plugins/nodeunschedulable/node_unschedulable.go [P25].

#include "core/sim/plugin.h"

namespace cnsched::sim {

namespace {

constexpr k8s::Taint kTaint{nullptr, "node.kubernetes.io/unschedulable", "", k8s::kNoSchedule};

void filter_unschedulable(const Pod& pod, const Cluster& cluster, FilterResult& result) {
  if (!pod.node_name.empty() || k8s::tolerated(kTaint, pod.tolerations)) return;
  result.reject(Status::unresolvable, "node(s) were unschedulable", cluster.unschedulable(),
                FilterResult::on_all, [&](std::size_t node) {
                  return Cause{.text = "is cordoned (spec.unschedulable)",
                               .on_node = &cluster.node(node).object->spec()["unschedulable"]};
                });
}

}  // namespace

constinit const Plugin node_unschedulable{.name = "NodeUnschedulable",
                                          .filter = filter_unschedulable};

}  // namespace cnsched::sim
