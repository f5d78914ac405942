// Which claims a pod has. Sources: pkg/scheduler/framework/plugins/dynamicresources/
// dynamicresources.go, foreachPodResourceClaim and PreFilter; extendeddynamicresources.go,
// createRequestsAndMappings (1.36); k8s.io/dynamic-resource-allocation 0.36,
// resourceclaim/resourceclaim.go. A pod that does not exist yet gets the claims of its templates.

#include "core/sim/devices/pod_claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/text.h"
#include "core/k8s/pod_resources.h"
#include "core/sim/cluster.h"

namespace cnsched::sim::devices {

namespace {

using k8s::SchedulingKind;
using yaml::Node;

/// Source: resource.k8s.io/v1, ResourceClaimReservedForMaxSize.
constexpr std::size_t kMaxConsumers = 256;

std::string name_in(const k8s::Namespace& ns, std::string_view name) {
  return printable(ns.is_known() ? fmt::format("{}/{}", ns.name, name) : std::string(name));
}

class Resolver {
 public:
  Resolver(const Pod& pod, const Cluster& cluster, DeviceFacts::Access& facts)
      : pod_(pod), cluster_(cluster), facts_(facts) {}

  PodClaims resolve() {
    for (const Node* entry : pod_.spec["resourceClaims"].items()) {
      result_.written = entry;
      add(*entry);
      if (result_.is_decided()) return std::move(result_);
    }
    for (const PodClaim& claim : result_.claims) {
      result_.written = claim.written;
      check(claim);
      if (result_.is_decided()) break;
    }
    return std::move(result_);
  }

 private:
  void add(const Node& entry) {
    const Node& name = entry["resourceClaimName"];
    if (name.is_scalar()) return add_claim(entry, name.text(), false);
    const Node& of_template = entry["resourceClaimTemplateName"];
    if (!of_template.is_scalar()) {
      result_.rejection =
          fmt::format("pod \"{}\", spec.resourceClaim \"{}\": none of the supported fields are set",
                      name_in(pod_.ns, pod_.name), printable(entry["name"].text()));
      return;
    }
    const Node& status =
        k8s::item_named((*pod_.status)["resourceClaimStatuses"], entry["name"].text());
    if (status) {
      // Without a name, the pod needs no claim.
      const Node& made = status["resourceClaimName"];
      if (made.is_scalar()) add_claim(entry, made.text(), true);
      return;
    }
    add_new(entry, of_template.text());
  }

  void add_new(const Node& entry, std::string_view name) {
    const k8s::FoundIn found = find_in(pod_.ns, facts_.templates(name));
    if (is_missing(found, SchedulingKind::device_claim_template, name)) {
      if (result_.unknown.empty()) {
        result_.rejection =
            fmt::format("pod \"{}\": ResourceClaim not created yet", name_in(pod_.ns, pod_.name));
      }
      return;
    }
    result_.claims.push_back({.object = found.object,
                              .is_new = true,
                              .spec = &found.object->spec()["spec"],
                              .written = &entry,
                              .allocation = &yaml::missing_node()});
  }

  void add_claim(const Node& entry, std::string_view name, bool is_generated) {
    const k8s::FoundIn found = find_in(pod_.ns, facts_.claims(name));
    if (is_missing(found, SchedulingKind::device_claim, name)) {
      if (result_.unknown.empty()) {
        result_.rejection =
            fmt::format("could not find ResourceClaim \"{}\"", name_in(pod_.ns, name));
      }
      return;
    }
    const k8s::Object& claim = *found.object;
    if (claim["metadata"]["deletionTimestamp"].is_scalar()) {
      result_.rejection = fmt::format("resourceclaim \"{}\" is being deleted", printable(name));
      return;
    }
    if (is_generated && !is_owned_by_pod(claim)) {
      result_.rejection =
          fmt::format("ResourceClaim {} was not created for Pod {} (Pod is not owner)",
                      name_in(claim.ns, name), name_in(pod_.ns, pod_.name));
      return;
    }
    const auto placed = cluster_.placed_devices().claims.find(&claim);
    result_.claims.push_back(
        {.object = &claim,
         .spec = &claim.spec(),
         .written = &entry,
         .allocation = &facts_.allocation(claim),
         .placed = placed == cluster_.placed_devices().claims.end() ? nullptr : &placed->second});
  }

  /// Says what is unknown if the object may exist.
  bool is_missing(const k8s::FoundIn& found, SchedulingKind kind, std::string_view name) {
    const k8s::SchedulingKindRow& row = k8s::row_of(kind);
    if (found.is_doubtful) {
      result_.unknown = fmt::format("whether {} '{}' is in the namespace of the pod is not known",
                                    row.name, printable(name));
    } else if (found.object == nullptr && !cluster_.knows_all(kind, pod_.ns.name)) {
      result_.unknown = fmt::format("{} '{}' is not given (kubectl get {} -o yaml prints it)",
                                    row.name, name_in(pod_.ns, name), row.plural);
    }
    return found.object == nullptr || found.is_doubtful;
  }

  bool is_owned_by_pod(const k8s::Object& claim) const {
    if (pod_.uid.empty()) return true;
    return std::ranges::any_of(
        claim["metadata"]["ownerReferences"].items(), [&](const Node* owner) {
          return (*owner)["controller"].text() == "true" && (*owner)["uid"].text() == pod_.uid;
        });
  }

  void check(const PodClaim& claim) {
    if (claim.is_allocated()) return check_consumers(claim);
    const PendingClaim pending = pending_claim(claim, pod_, facts_);
    for (const ClaimRequest& request : pending.requests) {
      if (request.alternatives.empty()) {
        result_.rejection = fmt::format("resource claim {}, request {}: unknown request type",
                                        pending.name, printable(request.name));
        return;
      }
      for (const DeviceRequest& alternative : request.alternatives) {
        check_class(request, alternative);
        if (result_.is_decided()) return;
      }
    }
  }

  void check_class(const ClaimRequest& request, const DeviceRequest& alternative) {
    const std::string name =
        printable(request.has_alternatives ? fmt::format("{}/{}", request.name, alternative.name)
                                           : request.name);
    if (alternative.class_name.empty()) {
      result_.failure = fmt::format(
          "running PreFilter plugin \"DynamicResources\": request {}: unsupported "
          "request type",
          name);
    } else if (alternative.device_class == nullptr) {
      const std::string class_name = printable(alternative.class_name);
      if (cluster_.knows_all(SchedulingKind::device_class)) {
        result_.rejection =
            fmt::format("request {}: device class {} does not exist", name, class_name);
      } else {
        result_.unknown = fmt::format(
            "DeviceClass '{}' is not given (kubectl get deviceclasses -o yaml prints it)",
            class_name);
      }
    }
  }

  /// No filter of kube-scheduler counts the consumers, but the API server rejects a claim with more
  /// when the pod is bound.
  void check_consumers(const PodClaim& claim) {
    if (claim.placed == nullptr) return;
    const Node& reserved = (*claim.object)["status"]["reservedFor"];
    const std::size_t before = *claim.allocation ? reserved.items().size() : 0;
    if (before + claim.placed->pods < kMaxConsumers) return;
    result_.rejection =
        fmt::format("ResourceClaim '{}' is reserved for {} pods: the API server rejects more",
                    name_in(claim.object->ns, claim.object->name), kMaxConsumers);
  }

  const Pod& pod_;
  const Cluster& cluster_;
  DeviceFacts::Access& facts_;
  PodClaims result_;
};

/// The devices that a container needs of one resource, for which it may reuse those of others.
struct ContainerRequest {
  std::string name;
  std::int64_t count = 0;
};

/// The amounts that a container requests, as the API server completes them, by name.
std::map<std::string_view, std::int64_t> amounts_of(const k8s::Container& container) {
  std::map<std::string_view, std::int64_t> amounts;
  for (const auto& list : {container.requests(), container.limits()}) {
    for (const k8s::ResourceAmount& amount : list) {
      const auto quantity = Quantity::parse(amount.node->text());
      amounts.try_emplace(amount.name, quantity ? quantity->value() : 0);
    }
  }
  return amounts;
}

/// Nothing if the container needs no devices besides `reusable`.
std::optional<ContainerRequest> request_of(
    std::size_t index, const k8s::Container& container, std::string_view resource,
    std::span<const std::optional<ContainerRequest>> reusable) {
  const auto amounts = amounts_of(container);
  const auto amount = amounts.find(resource);
  if (amount == amounts.end() || amount->second == 0) return std::nullopt;
  std::int64_t reused = 0;
  for (const auto& other : reusable) {
    if (!other) continue;
    reused += other->count;
    if (reused >= amount->second) return std::nullopt;
  }
  const auto rank = std::distance(amounts.begin(), amount);
  return ContainerRequest{fmt::format("container-{}-request-{}", index, rank),
                          amount->second - reused};
}

/// The requests of all containers for one resource. Init containers reuse the devices of the
/// containers that run later.
std::vector<ContainerRequest> requests_for(std::string_view resource, const k8s::PodSpec& spec) {
  const std::vector<k8s::Container> containers = spec.all_containers();
  const std::size_t inits = spec.init_containers().size();
  const auto is_short_lived = [&](std::size_t i) {
    return i < inits && !containers[i].is_sidecar();
  };
  std::vector<std::optional<ContainerRequest>> long_lived(containers.size());
  for (std::size_t i = 0; i < containers.size(); ++i) {
    if (!is_short_lived(i)) long_lived[i] = request_of(i, containers[i], resource, {});
  }
  std::optional<ContainerRequest> largest;
  for (std::size_t i = 0; i < inits; ++i) {
    if (!is_short_lived(i)) continue;
    const auto request = request_of(i, containers[i], resource, std::span(long_lived).subspan(i));
    if (request && (!largest || largest->count < request->count)) largest = request;
  }
  std::vector<ContainerRequest> requests;
  if (largest) requests.push_back(*largest);
  for (const auto& request : long_lived) {
    if (request) requests.push_back(*request);
  }
  return requests;
}

}  // namespace

PodClaims claims_of(const Pod& pod, const Cluster& cluster, DeviceFacts::Access& facts) {
  return Resolver(pod, cluster, facts).resolve();
}

PendingClaim pending_claim(const PodClaim& claim, const Pod& pod, DeviceFacts::Access& facts) {
  PendingClaim pending = claim_in(*claim.spec, facts.classes(), facts.expressions());
  const k8s::Namespace& ns = pod.ns.is_known() ? pod.ns : claim.object->ns;
  pending.name = name_in(ns, claim.object->name);
  pending.shown = fmt::format("{} '{}'", claim.is_new ? "ResourceClaimTemplate" : "ResourceClaim",
                              pending.name);
  return pending;
}

PendingClaim claim_for_resources(const Pod& pod, const std::vector<std::string_view>& served,
                                 const DeviceClasses& classes) {
  PendingClaim claim;
  claim.name = name_in(pod.ns, "<extended-resources>");
  std::vector<std::string> names;
  for (const std::string_view resource : served) {
    const DeviceClass* device_class = classes.of_resource(resource);
    names.push_back(fmt::format("'{}'", printable(resource)));
    for (ContainerRequest& each : requests_for(resource, pod.spec)) {
      ClaimRequest request{.name = std::move(each.name)};
      request.alternatives.push_back({.name = {},
                                      .class_name = device_class->name,
                                      .device_class = device_class,
                                      .mode = "ExactCount",
                                      .count = each.count});
      claim.requests.push_back(std::move(request));
    }
  }
  std::ranges::stable_sort(claim.requests, {}, &ClaimRequest::name);
  claim.shown = fmt::format("extended resource {}", join_words(names));
  return claim;
}

}  // namespace cnsched::sim::devices
