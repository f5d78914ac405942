// Source: pkg/scheduler/framework/plugins/nodeports/node_ports.go [P44].

#include <fmt/format.h>

#include <set>
#include <tuple>

#include "core/base/text.h"
#include "core/sim/plugin.h"

namespace cnsched::sim {

namespace {

constexpr std::size_t kPortsOfStep = 16;

bool overlap(const HostPort& a, const HostPort& b) {
  return a.number == b.number && a.protocol == b.protocol &&
         (a.ip.empty() || b.ip.empty() || a.ip == b.ip);
}

/// The ports of evicted pods, by node. kube-scheduler counts a port as free as soon as one of the
/// pods that use it is removed: the dry run of preemption finds it free although another pod, of a
/// priority that is too high for it, has it too. Source: pkg/scheduler/framework/types.go,
/// HostPortInfo.Remove.
class FreedPorts {
 public:
  explicit FreedPorts(const Cluster& cluster) {
    for (const RunningPod& running : cluster.pods()) {
      if (running.count > 0 || running.is_nominated) continue;
      for (const HostPort& port : running.pod.host_ports) {
        ports_.emplace(running.node, port.ip, port.protocol, port.number);
      }
    }
  }

  bool contain(const HostPort& port, const RunningPod& user, const Pod& pod) const {
    return !ports_.empty() && user.pod.priority.value >= pod.priority.value &&
           ports_.contains({user.node, port.ip, port.protocol, port.number});
  }

 private:
  std::set<std::tuple<std::size_t, std::string_view, std::string_view, std::int64_t>> ports_;
};

/// The first host port of the pod that `other` uses too, or null.
const HostPort* port_used_by(const RunningPod& other, const Pod& pod, const FreedPorts& freed,
                             Steps& steps) {
  for (const HostPort& port : pod.host_ports) {
    if (!steps.spend(1 + other.pod.host_ports.size() / kPortsOfStep)) break;
    for (const HostPort& used : other.pod.host_ports) {
      if (overlap(port, used) && !freed.contain(used, other, pod)) return &port;
    }
  }
  return nullptr;
}

void filter_by_ports(const Pod& pod, const Cluster& cluster, FilterResult& result) {
  if (pod.host_ports.empty()) return;
  const FreedPorts freed(cluster);
  NodeSet rejected = cluster.none();
  for (const RunningPod& running : cluster.pods()) {
    if (!cluster.is_on_current_node(running) || rejected.contains(running.node)) continue;
    const HostPort* port = port_used_by(running, pod, freed, cluster.steps());
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
