// Source: pkg/scheduler/framework/plugins/nodeports/node_ports.go.

#include <fmt/format.h>

#include <map>
#include <tuple>

#include "core/base/text.h"
#include "core/sim/plugins.h"

namespace cnsched::sim {

namespace {

bool in_each_others_way(const HostPort& a, const HostPort& b) {
  return a.number == b.number && a.protocol == b.protocol &&
         (a.ip.empty() || b.ip.empty() || a.ip == b.ip);
}

/// The first port of the pod that `other` takes already, or null.
const HostPort* taken_by(const Pod& pod, const Pod& other) {
  for (const HostPort& port : pod.host_ports) {
    for (const HostPort& taken : other.host_ports) {
      if (in_each_others_way(port, taken)) return &port;
    }
  }
  return nullptr;
}

void filter(const Pod& pod, const Cluster& cluster, Objections& objections) {
  if (pod.host_ports.empty()) return;
  NodeSet taken = cluster.none();
  for (const RunningPod& running : cluster.pods()) {
    if (!cluster.is_on_present_node(running)) continue;
    if (taken_by(pod, running.pod) != nullptr) taken.insert(running.node);
  }
  objections.add("node(s) didn't have free ports for the requested pod ports", std::move(taken));
}

void explain(const Pod& pod, const Cluster& cluster, std::size_t node,
             std::vector<Obstacle>& obstacles) {
  for (const RunningPod& running : cluster.pods()) {
    if (running.node != node || !cluster.is_on_present_node(running)) continue;
    const HostPort* port = taken_by(pod, running.pod);
    if (port == nullptr) continue;
    obstacles.push_back({.plugin = &node_ports,
                         .text = fmt::format("port {} of the node is taken ({})", port->number,
                                             printable(port->protocol)),
                         .in_pod = port->written});
    return;
  }
}

}  // namespace

constinit const Plugin node_ports{.name = "NodePorts", .filter = filter, .explain = explain};

}  // namespace cnsched::sim
