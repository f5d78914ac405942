#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/quantity.h"
#include "core/k8s/object.h"

namespace cnsched {

// Names of resources in ResourceQuotas.
inline constexpr std::string_view kQuotaRequests = "requests.";
inline constexpr std::string_view kQuotaLimits = "limits.";
inline constexpr std::string_view kHugePages = "hugepages-";
/// cpu, memory and ephemeral-storage.
bool is_basic_resource(std::string_view name);
/// Whether pods use the resource of that name in a quota.
bool is_quota_of_pods(std::string_view name);
/// Amounts by the names that ResourceQuotas use: "requests.cpu", "pods".
using QuotaAmounts = std::map<std::string, Quantity, std::less<>>;
/// The amounts in a list of a quota that pods use.
QuotaAmounts amounts_of_pods(const yaml::Node& mapping);
/// What the API server compares with: the limits that the controller has seen.
const yaml::Node& hard_of(const k8s::Object& quota);

/// The LimitRanges and ResourceQuotas of a cluster that apply to pods, each list by namespace and
/// name.
struct PolicyObjects {
  std::vector<const k8s::Object*> limit_ranges;
  std::vector<const k8s::Object*> quotas;

  bool empty() const { return limit_ranges.empty() && quotas.empty(); }
};

/// Those of `limit_ranges` and `quotas` that apply to pods; of two with one name, the first.
PolicyObjects policy_objects(const std::vector<const k8s::Object*>& limit_ranges,
                             const std::vector<const k8s::Object*>& quotas);

/// The LimitRanges and ResourceQuotas of a pod's namespace.
struct NamespacePolicy {
  k8s::Namespace ns;
  PolicyObjects objects;
  bool is_assumed = false;  ///< the pod names no namespace; only this one has such objects
  std::string unknown;      ///< why it is not known which objects apply; empty if it is known
};

/// What applies to the pods of a namespace. Objects of another package whose namespace no file
/// shows are taken to be in another.
NamespacePolicy policy_for(const k8s::Namespace& ns, const PolicyObjects& all);

}  // namespace cnsched
