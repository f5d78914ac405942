#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/k8s/object.h"

namespace cnsched::sim {

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

}  // namespace cnsched::sim
