// Source: pkg/scheduler/framework/plugins/noderesources/fit.go, fitsRequest.

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/seldon/offer.h"
#include "core/sim/plugins.h"

namespace cnsched::sim {

namespace {

/// A kubelet that gets its pod without the scheduler forgets what its node does not advertise.
/// Source: pkg/kubelet/lifecycle/predicate.go, removeMissingExtendedResources.
bool counts(const Request& request, const Pod& pod, const ResourceColumn* column) {
  if (request.amount == 0 && request.is_known) return false;
  return pod.node_name.empty() || column != nullptr || !k8s::is_extended_resource(request.name);
}

/// Nodes that have less than that left.
NodeSet short_of(std::int64_t amount, const ResourceColumn* column, const Cluster& cluster) {
  if (column == nullptr) return cluster.all();
  NodeSet enough = cluster.none();
  for (const ResourceColumn::Room& room : column->rooms()) {
    enough.insert_if(room.node, amount <= room.free());
  }
  return cluster.all() - enough;
}

/// Objects to the nodes that are short of a resource, and doubts those that do not tell.
void judge(std::string_view resource, NodeSet too_small, std::string_view reason,
           const Cluster& cluster, Objections& objections) {
  too_small -= cluster.without_allocatable();
  if (const NodeSet* untold = cluster.untold(resource)) {
    objections.add_unknown(
        fmt::format("its room is not known: status.allocatable does not tell '{}'", resource),
        *untold);
    too_small -= *untold;
  }
  objections.add(reason, std::move(too_small));
}

void filter(const Pod& pod, const Cluster& cluster, Objections& objections) {
  judge("pods", short_of(1, &cluster.pod_places(), cluster), "Too many pods", cluster, objections);
  for (const Request& request : pod.requests) {
    const ResourceColumn* column = cluster.resource(request.name);
    if (!counts(request, pod, column)) continue;
    if (!request.is_known) {
      objections.add_unknown(
          fmt::format("how much '{}' the pod asks for is not known", printable(request.name)),
          cluster.all());
      continue;
    }
    judge(request.name, short_of(request.amount, column, cluster),
          fmt::format("Insufficient {}", printable(request.name)), cluster, objections);
  }
  objections.add_unknown(
      "its room is not known: it has no status.allocatable (kubectl get nodes -o yaml shows it)",
      cluster.without_allocatable());
}

bool tells(std::string_view resource, const Cluster& cluster, std::size_t node) {
  const NodeSet* untold = cluster.untold(resource);
  return untold == nullptr || !untold->contains(node);
}

/// In the unit of what is asked for, so that the two can be compared.
std::string shown_beside(const std::string& asked, std::string_view resource, std::int64_t amount) {
  const bool is_bytes = asked.ends_with('i');
  return is_bytes ? seldon::shown_memory_like(asked, amount) : shown_amount(resource, amount);
}

std::string shortage(const Request& request, const ResourceColumn* column, std::size_t node) {
  const std::string amount = shown_amount(request.name, request.amount);
  const std::string asked = fmt::format("asks for {} {}", amount, printable(request.name));
  const auto room = column == nullptr ? ResourceColumn::Room{} : column->on(node);
  if (room.allocatable == 0) return asked + ", the node has none";
  const std::string has = shown_beside(amount, request.name, room.allocatable);
  if (room.requested == 0) return fmt::format("{}, the node has {}", asked, has);
  return fmt::format("{}, {} of {} is free", asked, shown_beside(amount, request.name, room.free()),
                     has);
}

void explain(const Pod& pod, const Cluster& cluster, std::size_t node,
             std::vector<Obstacle>& obstacles) {
  if (cluster.without_allocatable().contains(node)) return;
  const ResourceColumn::Room places = cluster.pod_places().on(node);
  if (places.free() < 1 && tells("pods", cluster, node)) {
    obstacles.push_back({.plugin = &node_resources_fit,
                         .text = fmt::format("no room for one more pod ({} run, {} may)",
                                             places.requested, places.allocatable)});
  }
  for (const Request& request : pod.requests) {
    const ResourceColumn* column = cluster.resource(request.name);
    if (!request.is_known || !counts(request, pod, column)) continue;
    const std::int64_t free = column == nullptr ? 0 : column->on(node).free();
    if (request.amount <= free || !tells(request.name, cluster, node)) continue;
    obstacles.push_back({.plugin = &node_resources_fit,
                         .kind = Obstacle::Kind::resource,
                         .text = shortage(request, column, node),
                         .in_pod = request.written.empty() ? nullptr : request.written.front(),
                         .resource = request.name,
                         .free = free});
  }
}

}  // namespace

constinit const Plugin node_resources_fit{
    .name = "NodeResourcesFit", .filter = filter, .explain = explain};

}  // namespace cnsched::sim
