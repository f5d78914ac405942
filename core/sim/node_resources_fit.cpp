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
  NodeSet nodes = cluster.none();
  for (std::size_t i = 0; i < cluster.size(); ++i) nodes.insert_if(i, amount > column->free(i));
  return nodes;
}

void filter(const Pod& pod, const Cluster& cluster, Objections& objections) {
  const NodeSet& unknown = cluster.without_allocatable();
  objections.add("Too many pods", short_of(1, &cluster.pod_places(), cluster) - unknown);
  for (const Request& request : pod.requests) {
    const ResourceColumn* column = cluster.resource(request.name);
    if (!counts(request, pod, column)) continue;
    if (!request.is_known) {
      objections.add_unknown(
          fmt::format("how much '{}' the pod asks for is not known", printable(request.name)),
          cluster.all());
      continue;
    }
    objections.add(fmt::format("Insufficient {}", printable(request.name)),
                   short_of(request.amount, column, cluster) - unknown);
  }
  objections.add_unknown(
      "its room is not known: it has no status.allocatable (kubectl get nodes -o yaml shows it)",
      unknown);
}

/// In the unit of what is asked for, so that the two can be compared.
std::string shown_beside(const std::string& asked, std::string_view resource, std::int64_t amount) {
  const bool is_bytes = asked.ends_with('i');
  return is_bytes ? seldon::shown_memory_like(asked, amount) : shown_amount(resource, amount);
}

std::string shortage(const Request& request, const ResourceColumn* column, std::size_t node) {
  const std::string amount = shown_amount(request.name, request.amount);
  const std::string asked = fmt::format("asks for {} {}", amount, printable(request.name));
  const std::int64_t allocatable = column == nullptr ? 0 : column->allocatable[node];
  if (allocatable == 0) return asked + ", the node has none";
  const std::string has = shown_beside(amount, request.name, allocatable);
  if (column->requested[node] == 0) return fmt::format("{}, the node has {}", asked, has);
  return fmt::format("{}, {} of {} is free", asked,
                     shown_beside(amount, request.name, column->free(node)), has);
}

void explain(const Pod& pod, const Cluster& cluster, std::size_t node,
             std::vector<Obstacle>& obstacles) {
  if (cluster.without_allocatable().contains(node)) return;
  if (cluster.pod_places().free(node) < 1) {
    obstacles.push_back({.plugin = &node_resources_fit,
                         .text = fmt::format("no room for one more pod ({} run, {} may)",
                                             cluster.pod_places().requested[node],
                                             cluster.pod_places().allocatable[node])});
  }
  for (const Request& request : pod.requests) {
    const ResourceColumn* column = cluster.resource(request.name);
    if (!request.is_known || !counts(request, pod, column)) continue;
    const std::int64_t free = column == nullptr ? 0 : column->free(node);
    if (request.amount <= free) continue;
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
