// Source: pkg/scheduler/framework/plugins/nodename/node_name.go.

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/sim/plugin.h"

namespace cnsched::sim {

namespace {

void filter_by_node_name(const Pod& pod, const Cluster& cluster, FilterResult& result) {
  if (pod.node_name.empty()) return;
  NodeSet others = cluster.all();
  if (const auto named = cluster.find(pod.node_name)) {
    NodeSet one = cluster.none();
    one.insert(*named);
    others -= one;
  }
  result.reject(Status::unresolvable, "node(s) didn't match the requested node name",
                std::move(others),
                Cause{.text = fmt::format("nodeName is '{}'", printable(pod.node_name)),
                      .in_pod = &pod.spec["nodeName"]});
}

}  // namespace

constinit const Plugin node_name{.name = "NodeName", .filter = filter_by_node_name};

}  // namespace cnsched::sim
