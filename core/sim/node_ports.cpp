// Source: pkg/scheduler/framework/plugins/nodeports/node_ports.go [P44].

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/sim/plugin.h"

namespace cnsched::sim {

namespace {

bool overlap(const HostPort& a, const HostPort& b) {
  return a.number == b.number && a.protocol == b.protocol &&
         (a.ip.empty() || b.ip.empty() || a.ip == b.ip);
}

/// The first host port of the pod that `other` uses too, or null.
const HostPort* port_used_by(const Pod& other, const Pod& pod) {
  for (const HostPort& port : pod.host_ports) {
    for (const HostPort& used : other.host_ports) {
      if (overlap(port, used)) return &port;
    }
  }
  return nullptr;
}

void filter_by_ports(const Pod& pod, const Cluster& cluster, FilterResult& result) {
  if (pod.host_ports.empty()) return;
  NodeSet rejected = cluster.none();
  for (const RunningPod& running : cluster.pods()) {
    if (!cluster.is_on_current_node(running) || rejected.contains(running.node)) continue;
    const HostPort* port = port_used_by(running.pod, pod);
    if (port == nullptr) continue;
    rejected.insert(running.node);
    if (!result.is_explained(running.node)) continue;
    result.add_cause(running.node, {.text = fmt::format("hostPort {}/{} is in use on the node",
                                                        port->number, printable(port->protocol)),
                                    .in_pod = port->written});
  }
  result.reject(Status::unschedulable, "node(s) didn't have free ports for the requested pod ports",
                std::move(rejected));
}

}  // namespace

constinit const Plugin node_ports{.name = "NodePorts", .filter = filter_by_ports};

}  // namespace cnsched::sim
