// Source: pkg/scheduler/framework/plugins/noderesources/fit.go, fitsRequest [P40].

#include <fmt/format.h>

#include <algorithm>

#include "core/accelerators/card.h"
#include "core/accelerators/catalogue.h"
#include "core/base/text.h"
#include "core/sim/plugin.h"

namespace cnsched::sim {

namespace {

/// The kubelet, which admits a pod that has nodeName, ignores extended resources that its node does
/// not have [P27]. Source: pkg/kubelet/lifecycle/predicate.go, removeMissingExtendedResources.
bool is_checked(const k8s::Request& request, const Pod& pod, const ResourceColumn* column) {
  if (request.amount == 0 && request.is_known) return false;
  if (column == nullptr && accelerators::is_resource_of_scheduler(request.name)) return false;
  return pod.node_name.empty() || column != nullptr || !k8s::is_extended_resource(request.name);
}

/// Nodes on which less than `amount` is free; nodes that do not list the resource have none.
NodeSet short_of(std::int64_t amount, const ResourceColumn* column, const Cluster& cluster) {
  if (column == nullptr) return cluster.all();
  NodeSet enough = cluster.none();
  for (const ResourceColumn::NodeAmount& on_node : column->amounts()) {
    enough.insert_if(on_node.node, amount <= on_node.free());
  }
  return cluster.all() - enough;
}

/// Those of `nodes` that have less than `amount` even without pods.
NodeSet too_small_for(std::int64_t amount, const ResourceColumn* column, const NodeSet& nodes) {
  if (column == nullptr) return nodes;
  NodeSet large(nodes.cluster_size());
  for (const ResourceColumn::NodeAmount& on_node : column->amounts()) {
    large.insert_if(on_node.node, amount <= on_node.allocatable);
  }
  return nodes - large;
}

/// Removes the nodes whose amount of the resource is unknown.
void leave_out_unknown(std::string_view resource, const Cluster& cluster, NodeSet& nodes,
                       FilterResult& result) {
  nodes -= cluster.without_allocatable();
  if (const NodeSet* not_listing = cluster.not_listing(resource)) {
    result.reject_perhaps(
        fmt::format("free resources are unknown: status.allocatable does not list '{}'", resource),
        *not_listing);
    nodes -= *not_listing;
  }
}

/// The amount in the unit of the request, so that a reader can compare them.
std::string shown_like(const std::string& request, std::string_view resource, std::int64_t amount) {
  const bool is_bytes = request.ends_with('i');
  return is_bytes ? k8s::shown_memory_like(request, amount) : k8s::shown_amount(resource, amount);
}

/// What a node without a resource may have instead.
class Instead {
 public:
  Instead(std::string_view resource, const Cluster& cluster)
      : wanted_(accelerators::find_resource(resource)),
        is_profile_(resource.starts_with(accelerators::kMigResource)),
        cluster_(cluster) {
    if (wanted_ == nullptr) return;
    for (const std::string_view name : cluster.resource_names()) {
      const auto* other = accelerators::find_resource(name);
      const bool is_other = other != nullptr && other->vendor == wanted_->vendor;
      if (is_other && name != resource) others_.emplace_back(name, cluster.resource(name));
    }
  }

  bool is_of_vendor(std::size_t node) const {
    const accelerators::Vendor* vendor = cluster_.node(node).vendor;
    return wanted_ != nullptr && vendor != nullptr && *vendor == wanted_->vendor;
  }
  /// Whether the Node has accelerators of the vendor, and no device plugin advertises any.
  bool lacks_plugin(std::size_t node) const {
    return is_of_vendor(node) && cluster_.node(node).is_node() && !cluster_.node(node).advertises;
  }
  /// ", but offers 3 nvidia.com/mig-1g.10gb": what a node has of the vendor's other resources.
  std::string offered(std::size_t node) const {
    std::vector<std::string> offered;
    for (const auto& [name, column] : others_) {
      const std::int64_t amount = column->on(node).allocatable;
      if (amount > 0) offered.push_back(fmt::format("{} {}", amount, printable(name)));
    }
    return offered.empty() ? "" : ", but offers " + join_words(offered);
  }
  /// Equal for nodes that have the same, also of profiles that fixes propose.
  std::int64_t key(std::size_t node) const {
    const bool has_others = std::ranges::any_of(
        others_, [&](const auto& other) { return other.second->on(node).allocatable > 0; });
    if (is_profile_ || has_others) return -1 - static_cast<std::int64_t>(node);
    return (is_of_vendor(node) ? 1 : 0) + (lacks_plugin(node) ? 1 : 0);
  }

 private:
  const accelerators::Resource* wanted_;
  bool is_profile_;
  const Cluster& cluster_;
  std::vector<std::pair<std::string_view, const ResourceColumn*>> others_;
};

std::string shortage(const k8s::Request& request, const ResourceColumn::NodeAmount& on_node,
                     const Instead& instead) {
  const std::string amount = k8s::shown_amount(request.name, request.amount);
  const std::string requests = fmt::format("requests {} {}", amount, printable(request.name));
  if (on_node.allocatable == 0) {
    return requests + ", the node has none" +
           (instead.lacks_plugin(on_node.node)
                ? ", although it has accelerators: no device plugin advertises them"
                : instead.offered(on_node.node));
  }
  const std::string has = shown_like(amount, request.name, on_node.allocatable);
  if (on_node.requested == 0) return fmt::format("{}, the node has {}", requests, has);
  return fmt::format("{}, {} of {} is free", requests,
                     shown_like(amount, request.name, on_node.free()), has);
}

void filter_by_pod_count(const Cluster& cluster, FilterResult& result) {
  NodeSet full = short_of(1, &cluster.pod_slots(), cluster);
  leave_out_unknown("pods", cluster, full, result);
  const auto key_on = [&](std::size_t node) {
    const auto slots = cluster.pod_slots().on(node);
    return CauseKey{slots.requested, slots.allocatable};
  };
  result.reject(
      Status::unschedulable, "Too many pods", std::move(full), key_on, [&](std::size_t node) {
        const auto [requested, allocatable, unused] = key_on(node);
        return Cause{
            .text = fmt::format("the node runs {} of at most {} pods", requested, allocatable)};
      });
}

/// Leaves out the nodes without device plugin for a resource that a DeviceClass serves: the plugin
/// DynamicResources decides. Source: fit.go, shouldDelegateResourceToDRA (1.36).
void leave_out_served(std::string_view resource, const ResourceColumn* column,
                      const Cluster& cluster, NodeSet& nodes) {
  if (cluster.class_serving(resource) == nullptr) return;
  NodeSet with_plugin = cluster.none();
  if (column != nullptr) {
    for (const ResourceColumn::NodeAmount& on_node : column->amounts()) {
      with_plugin.insert_if(on_node.node, on_node.allocatable > 0);
    }
  }
  nodes &= with_plugin;
}

void explain(const NodeSet& nodes, const k8s::Request& request, const ResourceColumn* column,
             const Cluster& cluster, FilterResult& result) {
  const Instead instead(request.name, cluster);
  const auto amount_on = [&](std::size_t node) {
    return column == nullptr ? ResourceColumn::NodeAmount{node} : column->on(node);
  };
  const auto key_on = [&](std::size_t node) {
    const auto on_node = amount_on(node);
    return CauseKey{on_node.allocatable, on_node.requested, instead.key(node)};
  };
  result.explain(nodes, key_on, [&](std::size_t node) {
    const auto on_node = amount_on(node);
    return Cause{.kind = Cause::Kind::resource,
                 .text = result.text([&] { return shortage(request, on_node, instead); }),
                 .in_pod = request.written.empty() ? nullptr : request.written.front(),
                 .resource = request.name,
                 .free = on_node.free(),
                 .lacks_plugin = on_node.allocatable == 0 && instead.lacks_plugin(node)};
  });
}

void filter_by_request(const k8s::Request& request, const ResourceColumn* column,
                       const Cluster& cluster, FilterResult& result) {
  NodeSet nodes = short_of(request.amount, column, cluster);
  leave_out_served(request.name, column, cluster, nodes);
  leave_out_unknown(request.name, cluster, nodes, result);
  if (nodes.empty()) return;
  if (result.explains()) explain(nodes, request, column, cluster, result);
  const std::string reason = fmt::format("Insufficient {}", printable(request.name));
  NodeSet too_small = too_small_for(request.amount, column, nodes);
  result.reject(Status::unschedulable, reason, nodes - too_small);
  result.reject(Status::unresolvable, reason, std::move(too_small));
}

void filter_by_resources(const Pod& pod, const Cluster& cluster, FilterResult& result) {
  filter_by_pod_count(cluster, result);
  for (const k8s::Request& request : pod.requests) {
    const ResourceColumn* column = cluster.resource(request.name);
    if (!is_checked(request, pod, column)) continue;
    if (request.is_known) {
      filter_by_request(request, column, cluster, result);
    } else {
      result.reject_perhaps(
          fmt::format("the pod's request for '{}' is unknown", printable(request.name)),
          cluster.all());
    }
  }
  result.reject_perhaps(
      "free resources are unknown: the node has no status.allocatable (kubectl get nodes -o yaml "
      "prints it)",
      cluster.without_allocatable());
}

}  // namespace

constinit const Plugin node_resources_fit{.name = "NodeResourcesFit",
                                          .filter = filter_by_resources};

}  // namespace cnsched::sim
