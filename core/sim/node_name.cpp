// Source: pkg/scheduler/framework/plugins/nodename/node_name.go.

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/sim/plugins.h"

namespace cnsched::sim {

namespace {

void filter(const Pod& pod, const Cluster& cluster, Objections& objections) {
  if (pod.node_name.empty()) return;
  NodeSet others = cluster.all();
  if (const auto named = cluster.find(pod.node_name)) {
    NodeSet one = cluster.none();
    one.insert(*named);
    others -= one;
  }
  objections.add("node(s) didn't match the requested node name", std::move(others));
}

void explain(const Pod& pod, const Cluster& cluster, std::size_t node,
             std::vector<Obstacle>& obstacles) {
  if (pod.node_name.empty() || cluster.find(pod.node_name) == node) return;
  obstacles.push_back({.plugin = &node_name,
                       .text = fmt::format("nodeName is '{}'", printable(pod.node_name)),
                       .in_pod = &pod.spec["nodeName"]});
}

}  // namespace

constinit const Plugin node_name{.name = "NodeName", .filter = filter, .explain = explain};

}  // namespace cnsched::sim
