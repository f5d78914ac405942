// Source: pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go, PreFilter, Filter
// and Reserve, and extendeddynamicresources.go (1.36: extended resources that DeviceClasses serve).
// Dynamic resource allocation is on by default since 1.34.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>

#include "core/base/text.h"
#include "core/sim/devices/device_facts.h"
#include "core/sim/devices/in_use.h"
#include "core/sim/devices/pod_claims.h"
#include "core/sim/dynamic_resources.h"
#include "core/sim/node_match.h"
#include "core/sim/plugin.h"

namespace cnsched::sim {

namespace {

using devices::Allocation;
using devices::PendingClaim;
using devices::PodClaim;
using k8s::SchedulingKind;

constexpr std::string_view kUnavailable = "resourceclaim not available on the node";

/// Steps for one pod: kube-scheduler stops after 10 seconds on each node.
constexpr std::uint64_t kMaxStepsOfPod = 200'000'000;
/// One step of a search takes as long as some others.
constexpr std::uint64_t kStepsOfDevice = 3;

/// The extended resources of the pod that DeviceClasses serve, by name.
std::vector<std::string_view> served_resources(const Pod& pod, const Cluster& cluster) {
  std::vector<std::string_view> served;
  for (const k8s::Request& request : pod.requests) {
    const bool is_requested = request.is_known && request.amount > 0;
    if (is_requested && cluster.class_serving(request.name) != nullptr) {
      served.push_back(request.name);
    }
  }
  std::ranges::sort(served);
  return served;
}

bool is_condition_true(const yaml::Node& conditions, std::string_view type) {
  return std::ranges::any_of(conditions.items(), [&](const yaml::Node* condition) {
    return (*condition)["type"].text() == type && (*condition)["status"].text() == "True";
  });
}

/// The status of a device in the claim's status, or a missing node.
const yaml::Node& device_status(const k8s::Object& claim, const yaml::Node& result) {
  for (const yaml::Node* device : claim["status"]["devices"].items()) {
    const bool is_it = std::ranges::all_of(
        std::to_array<std::string_view>({"driver", "pool", "device", "shareID"}),
        [&](std::string_view key) {
          return device->under(key).text() == result.under(key).text();
        });
    if (is_it) return *device;
  }
  return yaml::missing_node();
}

/// Whether a driver failed to prepare a device of the allocated claim. A claim that waits for its
/// driver is not given up: for how long it waits is not known. Source: dynamicresources.go,
/// isClaimReadyForBinding.
bool has_failed_binding(const k8s::Object& claim, const yaml::Node& allocation) {
  return std::ranges::any_of(
      allocation["devices"]["results"].items(), [&](const yaml::Node* result) {
        if ((*result)["bindingConditions"].items().empty()) return false;
        const yaml::Node& conditions = device_status(claim, *result)["conditions"];
        return std::ranges::any_of(
            (*result)["bindingFailureConditions"].items(),
            [&](const yaml::Node* type) { return is_condition_true(conditions, type->text()); });
      });
}

/// The devices of a pod on the nodes of a cluster.
class DeviceSearch {
 public:
  DeviceSearch(const Pod& pod, const Cluster& cluster, devices::DeviceFacts::Access& facts,
               std::vector<PodClaim> claims, std::vector<std::string_view> served)
      : pod_(pod),
        cluster_(cluster),
        facts_(facts),
        claims_(std::move(claims)),
        served_(std::move(served)),
        steps_(std::min(kMaxStepsOfPod, cluster.steps().left() / kStepsOfDevice + 1)),
        before_(steps_),
        without_own_(without_own_claim(pod, cluster, facts)),
        context_{.in_use = without_own_ ? *without_own_ : in_use(cluster, facts),
                 .expressions = facts.expressions(),
                 .inventory = facts.inventory(),
                 .steps = steps_} {
    for (const PodClaim& claim : claims_) {
      if (claim.is_allocated()) {
        allocated_.push_back(&claim);
        if (claim.placed == nullptr) add_reach(claim);
      } else {
        pending_.push_back(devices::pending_claim(claim, pod, facts));
      }
    }
  }
  DeviceSearch(const DeviceSearch&) = delete;
  DeviceSearch& operator=(const DeviceSearch&) = delete;
  ~DeviceSearch() { cluster_.steps().spend(kStepsOfDevice * (before_ - steps_)); }

  /// Whether the pod needs nothing of the node.
  bool is_free_of_claims(std::size_t node) const {
    return claims_.empty() && served_on(node).empty();
  }
  /// Whether devices are to be allocated on the node.
  bool allocates_on(std::size_t node) const {
    return !pending_.empty() || !served_on(node).empty();
  }
  Allocation allocate_on(std::size_t node) {
    return devices::allocate(claims_on(node), facts_.inventory().pools_on(node), node, context_);
  }
  std::string shortage_on(std::size_t node) {
    return devices::shortage_on(claims_on(node), facts_.inventory().pools_on(node), node, context_);
  }
  /// The allocated claim whose devices the node cannot use; null if there is none.
  const PodClaim* unavailable_on(std::size_t node) const {
    const auto is_unavailable = [&](const PodClaim* claim) {
      if (claim->placed != nullptr) return !claim->placed->nodes.contains(node);
      const auto reach = reach_.find(claim->allocation);
      return (reach != reach_.end() && !reach->second.contains(node)) ||
             has_failed_binding(*claim->object, *claim->allocation);
    };
    const auto found = std::ranges::find_if(allocated_, is_unavailable);
    return found == allocated_.end() ? nullptr : *found;
  }
  /// The nodes that can use the devices of an allocated claim.
  NodeSet available_nodes(const PodClaim& claim) const {
    const auto reach = reach_.find(claim.allocation);
    return reach == reach_.end() ? cluster_.all() : reach->second;
  }
  const std::vector<PodClaim>& claims() const { return claims_; }

 private:
  static const devices::DevicesInUse& in_use(const Cluster& cluster,
                                             devices::DeviceFacts::Access& facts) {
    const devices::PlacedDevices& placed = cluster.placed_devices();
    return placed.in_use ? *placed.in_use : facts.in_use();
  }
  /// The manifest of a Pod that already runs takes its place, and so the devices that
  /// kube-scheduler allocated for its extended resources.
  static std::optional<devices::DevicesInUse> without_own_claim(
      const Pod& pod, const Cluster& cluster, devices::DeviceFacts::Access& facts) {
    if (!pod.has_all_labels || !pod.uid.empty() || cluster.placed_devices().in_use) {
      return std::nullopt;
    }
    const k8s::Object* own = facts.extended_resource_claim(pod.ns, pod.name);
    return own == nullptr ? std::nullopt : std::optional(facts.in_use_without(*own));
  }
  void add_reach(const PodClaim& claim) {
    const yaml::Node& selector = (*claim.allocation)["nodeSelector"];
    if (!selector.is_mapping()) return;
    reach_.emplace(claim.allocation, nodes_selected_by(selector, cluster_).possible);
  }

  /// The resources that device plugins of the node do not provide.
  std::vector<std::string_view> served_on(std::size_t node) const {
    std::vector<std::string_view> served;
    std::ranges::copy_if(served_, std::back_inserter(served), [&](std::string_view resource) {
      const ResourceColumn* column = cluster_.resource(resource);
      return column == nullptr || column->on(node).allocatable == 0;
    });
    return served;
  }

  const std::vector<PendingClaim>& claims_on(std::size_t node) {
    const std::vector<std::string_view> served = served_on(node);
    if (served.empty()) return pending_;
    auto& claims = with_resources_[served];
    if (claims.empty()) {
      claims = pending_;
      claims.push_back(devices::claim_for_resources(pod_, served, facts_.classes()));
    }
    return claims;
  }

  const Pod& pod_;
  const Cluster& cluster_;
  devices::DeviceFacts::Access& facts_;
  std::vector<PodClaim> claims_;
  std::vector<std::string_view> served_;
  std::uint64_t steps_;
  std::uint64_t before_;
  std::optional<devices::DevicesInUse> without_own_;
  devices::AllocationContext context_;
  std::vector<const PodClaim*> allocated_;
  std::vector<PendingClaim> pending_;
  std::map<const yaml::Node*, NodeSet> reach_;  ///< by allocation
  std::map<std::vector<std::string_view>, std::vector<PendingClaim>> with_resources_;
};

/// What the search finds, by node.
struct FailuresByNode {
  explicit FailuresByNode(const Cluster& cluster)
      : short_of_devices(cluster.none()),
        invalid_pools(cluster.none()),
        unavailable(cluster.none()) {}

  NodeSet short_of_devices;
  NodeSet invalid_pools;
  NodeSet unavailable;
  // By the first node: kube-scheduler reports one of several errors.
  std::vector<std::pair<std::string, NodeSet>> errors;
  std::vector<std::pair<std::string, NodeSet>> unknown;
};

void add(const std::string& message, std::size_t node, const Cluster& cluster,
         std::vector<std::pair<std::string, NodeSet>>& messages) {
  auto found = std::ranges::find(messages, message, &std::pair<std::string, NodeSet>::first);
  if (found == messages.end()) found = messages.insert(found, {message, cluster.none()});
  found->second.insert(node);
}

void search_on(std::size_t node, const Cluster& cluster, DeviceSearch& search,
               FailuresByNode& found) {
  if (search.is_free_of_claims(node)) return;
  if (cluster.autoscaled().contains(node)) {
    add("unknown which devices the pool's nodes have: ResourceSlices describe existing nodes", node,
        cluster, found.unknown);
    return;
  }
  if (search.allocates_on(node)) {
    const Allocation allocation = search.allocate_on(node);
    switch (allocation.kind) {
      case Allocation::Kind::found:
        break;
      case Allocation::Kind::none:
        return found.short_of_devices.insert(node);
      case Allocation::Kind::invalid_pool:
        return found.invalid_pools.insert(node);
      case Allocation::Kind::error:
        return add(allocation.message, node, cluster, found.errors);
      case Allocation::Kind::unknown:
        return add(allocation.message, node, cluster, found.unknown);
    }
  }
  if (search.unavailable_on(node) != nullptr) found.unavailable.insert(node);
}

/// The nodes that no earlier plugin certainly rejects.
NodeSet left_by_plugins(const Cluster& cluster, const FilterResult& result) {
  NodeSet left = cluster.all();
  for (const Rejection& rejection : result.rejections()) {
    if (rejection.is_certain) left -= rejection.nodes;
  }
  return left;
}

void report_short(const Cluster& cluster, DeviceSearch& search, FailuresByNode& found,
                  FilterResult& result) {
  const auto cause_on = [&](std::size_t node) {
    const yaml::Node* written = search.claims().empty() ? nullptr : search.claims().front().written;
    return Cause{.text = search.shortage_on(node), .in_pod = written};
  };
  if (!cluster.knows_all(SchedulingKind::resource_slice)) {
    result.explain(found.short_of_devices | found.invalid_pools, cause_on);
    result.reject_perhaps(
        "the devices of the node are not known: not all ResourceSlices are given (kubectl get "
        "resourceslices -o yaml prints them)",
        found.short_of_devices | found.invalid_pools);
    return;
  }
  result.reject(Status::unresolvable, "cannot allocate all claims",
                std::move(found.short_of_devices), cause_on);
  result.reject(Status::unresolvable, "invalid resource pools were encountered",
                std::move(found.invalid_pools), cause_on);
}

void report(const Cluster& cluster, DeviceSearch& search, FailuresByNode found,
            FilterResult& result) {
  for (auto& [message, nodes] : found.errors) {
    const std::string error =
        fmt::format("running \"DynamicResources\" filter plugin: {}", message);
    result.explain(nodes, Cause{.text = message});
    result.fail(error, std::move(nodes));
  }
  report_short(cluster, search, found, result);
  result.reject(
      Status::unresolvable, kUnavailable, std::move(found.unavailable), [&](std::size_t node) {
        const PodClaim& claim = *search.unavailable_on(node);
        return Cause{.text = fmt::format("ResourceClaim '{}' has devices that the node cannot use",
                                         printable(claim.object->name)),
                     .in_pod = claim.written};
      });
  for (auto& [message, nodes] : found.unknown) result.reject_perhaps(message, std::move(nodes));
}

/// Before Kubernetes 1.34, the cluster's administrator turns dynamic resource allocation on.
bool may_be_disabled(const Cluster& cluster) {
  return !cluster.runs_kubernetes(1, 34) && cluster.objects(SchedulingKind::resource_slice).empty();
}

void filter_by_devices(const Pod& pod, const Cluster& cluster, FilterResult& result) {
  const bool has_claims = !pod.spec["resourceClaims"].is_empty();
  std::vector<std::string_view> served = served_resources(pod, cluster);
  if (!has_claims && served.empty()) return;
  if (may_be_disabled(cluster)) {
    result.reject_perhaps(
        "unknown whether the cluster allocates devices for resourceClaims: Kubernetes before 1.34 "
        "does so only with the feature gate DynamicResourceAllocation",
        cluster.all());
    return;
  }
  auto facts = cluster.device_facts().access(cluster);
  devices::PodClaims claims = devices::claims_of(pod, cluster, facts);
  if (!claims.unknown.empty()) return result.reject_perhaps(claims.unknown, cluster.all());
  const auto explain = [&](const std::string& text) {
    result.explain(cluster.all(), Cause{.text = text, .in_pod = claims.written});
  };
  const NodeSet left = left_by_plugins(cluster, result);
  if (!claims.failure.empty()) {
    explain(claims.failure);
    return result.fail_pod(claims.failure, cluster);
  }
  if (!claims.rejection.empty()) {
    explain(claims.rejection);
    return result.reject_pod(Status::unresolvable, claims.rejection, cluster);
  }
  if (!served.empty() && !pod.uid.empty() && facts.has_extended_resource_claim(pod.uid)) {
    // Of an earlier attempt. PostFilter deletes it, and the next attempt makes a new one.
    return result.reject(Status::unresolvable, "cannot schedule extended resource claim",
                         cluster.all(),
                         Cause{.text = "kube-scheduler first deletes the ResourceClaim that it "
                                       "made for the pod's extended resources"});
  }
  DeviceSearch search(pod, cluster, facts, std::move(claims.claims), std::move(served));
  FailuresByNode found(cluster);
  cluster.all().each([&](std::size_t node) {
    if (left.contains(node) || result.is_explained(node)) {
      search_on(node, cluster, search, found);
    }
  });
  report(cluster, search, std::move(found), result);
}

/// The nodes that can use the devices of an allocation that was made for `node`.
NodeSet nodes_of(const std::vector<devices::AllocatedDevice>& allocated, std::size_t node,
                 const Cluster& cluster, const devices::Inventory& inventory) {
  NodeSet nodes = cluster.all();
  for (const devices::AllocatedDevice& each : allocated) {
    const devices::NodeReach& reach =
        each.slice->selects_per_device ? each.device->reach : each.slice->reach;
    if (!reach.node_name.empty() || each.device->binds_to_node) {
      nodes = cluster.none();
      nodes.insert(node);
      return nodes;
    }
    if (reach.selector == nullptr) continue;
    NodeSet reached = cluster.none();
    cluster.all().each(
        [&](std::size_t other) { reached.insert_if(other, inventory.includes(reach, other)); });
    nodes &= reached;
  }
  return nodes;
}

/// Whether kube-scheduler takes the devices away from the claim: no other pod uses them.
bool can_deallocate(const PodClaim& claim, const Pod& pod) {
  const yaml::Node& reserved = (*claim.object)["status"]["reservedFor"];
  return std::ranges::all_of(reserved.items(), [&](const yaml::Node* consumer) {
    return !pod.uid.empty() && (*consumer)["uid"].text() == pod.uid;
  });
}

}  // namespace

std::string_view claims_message(const Pod& pod, const Diagnosis& diagnosis) {
  constexpr std::string_view kNone = "no new claims to deallocate";
  const Cluster& cluster = diagnosis.cluster();
  const bool has_served = !served_resources(pod, cluster).empty();
  if (pod.spec["resourceClaims"].is_empty() && !has_served) return kNone;
  // PreFilter records the claims at its end.
  const Rejection* whole = diagnosis.of_pod();
  if (whole != nullptr && whole->plugin == &dynamic_resources) return kNone;
  auto facts = cluster.device_facts().access(cluster);
  const devices::PodClaims claims = devices::claims_of(pod, cluster, facts);
  // It may turn out that the pod needs no claim.
  if (claims.claims.empty() && !claims.is_decided() && !has_served) return kNone;
  const bool is_unavailable = std::ranges::find(diagnosis.rejections(), kUnavailable,
                                                &Rejection::reason) != diagnosis.rejections().end();
  if (is_unavailable) {
    if (std::ranges::any_of(claims.claims, [&](const PodClaim& claim) {
          return *claim.allocation && can_deallocate(claim, pod);
        })) {
      return "deallocation of ResourceClaim completed";
    }
  }
  if (has_served && !pod.uid.empty() && facts.has_extended_resource_claim(pod.uid)) {
    return "deletion of ResourceClaim completed";
  }
  return "still not schedulable";
}

namespace devices {

void place_claims(const Pod& pod, const Cluster& cluster, std::size_t node, PlacedDevices& placed) {
  std::vector<std::string_view> served = served_resources(pod, cluster);
  if ((pod.spec["resourceClaims"].is_empty() && served.empty()) ||
      cluster.autoscaled().contains(node)) {
    return;
  }
  auto facts = cluster.device_facts().access(cluster);
  PodClaims claims = claims_of(pod, cluster, facts);
  if (claims.is_decided()) return;
  DeviceSearch search(pod, cluster, facts, std::move(claims.claims), std::move(served));
  Allocation allocation;
  if (search.allocates_on(node)) allocation = search.allocate_on(node);
  if (!placed.in_use) placed.in_use = facts.in_use();
  std::size_t next = 0;
  for (const PodClaim& claim : search.claims()) {
    if (!claim.is_new) {
      ++placed.claims.try_emplace(claim.object, PlacedClaim{cluster.all()}).first->second.pods;
    }
    if (claim.is_allocated()) {
      if (claim.placed == nullptr) {
        placed.claims[claim.object].nodes = search.available_nodes(claim);
      }
      continue;
    }
    if (next >= allocation.by_claim.size()) continue;
    if (!claim.is_new) {
      placed.claims[claim.object].nodes =
          nodes_of(allocation.by_claim[next], node, cluster, facts.inventory());
    }
    ++next;
  }
  for (const auto& of_claim : allocation.by_claim) {
    for (const AllocatedDevice& each : of_claim) use(each, *placed.in_use);
  }
}

}  // namespace devices

constinit const Plugin dynamic_resources{.name = "DynamicResources", .filter = filter_by_devices};

}  // namespace cnsched::sim
