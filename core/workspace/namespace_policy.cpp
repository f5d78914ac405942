#include "core/workspace/namespace_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>

#include "core/base/text.h"
#include "core/k8s/pod_resources.h"

namespace cnsched {

namespace {

using k8s::Object;

constexpr std::string_view kDeviceClass = "deviceclass.resource.kubernetes.io/";

bool limits_pods(const Object& limit_range) {
  return std::ranges::any_of(limit_range.spec()["limits"].items(), [](const yaml::Node* item) {
    const std::string_view type = (*item)["type"].text();
    return type == "Container" || type == "Pod";
  });
}

bool limits_what_pods_use(const Object& quota) { return !amounts_of_pods(hard_of(quota)).empty(); }

auto name_key(const Object* object) { return std::tuple(object->ns.key(), object->name); }

template <typename Applies>
std::vector<const Object*> sorted_policies(const std::vector<const Object*>& objects,
                                           Applies applies) {
  std::vector<const Object*> kept;
  std::ranges::copy_if(objects, std::back_inserter(kept),
                       [&](const Object* object) { return applies(*object); });
  std::ranges::stable_sort(kept, {}, name_key);
  const auto [first, last] = std::ranges::unique(kept, {}, name_key);
  kept.erase(first, last);
  return kept;
}

std::vector<const Object*> in_namespace(const std::vector<const Object*>& objects,
                                        const k8s::Namespace& ns) {
  std::vector<const Object*> found;
  std::ranges::copy_if(objects, std::back_inserter(found),
                       [&](const Object* object) { return object->ns == ns; });
  return found;
}

bool is_of_system(std::string_view ns) { return ns.starts_with("kube-"); }

/// "LimitRange 'a/limits'"
std::string policy_name(const Object& object) {
  const std::string ns = object.ns.is_known() ? printable(object.ns.name) + "/" : "";
  return fmt::format("{} '{}{}'", object.kind, ns, printable(object.name));
}

}  // namespace

bool is_basic_resource(std::string_view name) {
  return name == "cpu" || name == "memory" || name == "ephemeral-storage";
}

bool is_quota_of_pods(std::string_view name) {
  if (name == "pods" || name == "count/pods" || is_basic_resource(name)) return true;
  if (name.starts_with(kHugePages)) return true;
  if (name.starts_with(kQuotaLimits)) return is_basic_resource(name.substr(kQuotaLimits.size()));
  if (!name.starts_with(kQuotaRequests)) return false;
  const std::string_view resource = name.substr(kQuotaRequests.size());
  return is_basic_resource(resource) || resource.starts_with(kHugePages) ||
         resource.starts_with(kDeviceClass) || k8s::is_extended_resource(resource);
}

QuotaAmounts amounts_of_pods(const yaml::Node& mapping) {
  QuotaAmounts amounts;
  for (const k8s::ResourceAmount& amount : k8s::amounts_in(mapping)) {
    const auto quantity = Quantity::parse(amount.node->text());
    if (quantity && is_quota_of_pods(amount.name)) amounts[std::string(amount.name)] = *quantity;
  }
  return amounts;
}

const yaml::Node& hard_of(const Object& quota) {
  const yaml::Node& seen = quota["status"]["hard"];
  return seen.is_mapping() ? seen : quota.spec()["hard"];
}

PolicyObjects policy_objects(const std::vector<const Object*>& limit_ranges,
                             const std::vector<const Object*>& quotas) {
  return {sorted_policies(limit_ranges, limits_pods),
          sorted_policies(quotas, limits_what_pods_use)};
}

NamespacePolicy policy_for(const k8s::Namespace& ns, const PolicyObjects& all) {
  NamespacePolicy policy{.ns = ns, .objects = {}, .is_assumed = false, .unknown = {}};
  if (all.empty()) return policy;
  policy.objects = {in_namespace(all.limit_ranges, ns), in_namespace(all.quotas, ns)};
  if (ns.is_known() || !policy.objects.empty()) return policy;
  std::set<std::string_view> candidates;
  std::vector<const Object*> shown;
  for (const auto* objects : {&all.limit_ranges, &all.quotas}) {
    for (const Object* object : *objects) {
      if (!object->ns.is_known() || is_of_system(object->ns.name)) continue;
      if (candidates.insert(object->ns.name).second) shown.push_back(object);
    }
  }
  if (candidates.empty()) return policy;
  if (candidates.size() > 1) {
    policy.unknown = fmt::format(
        "the namespace of the pod (the manifest names none, --namespace does; {} and {} may each "
        "apply)",
        policy_name(*shown[0]), policy_name(*shown[1]));
    return policy;
  }
  policy.ns = shown.front()->ns;
  policy.is_assumed = true;
  policy.objects = {in_namespace(all.limit_ranges, policy.ns), in_namespace(all.quotas, policy.ns)};
  return policy;
}

}  // namespace cnsched
