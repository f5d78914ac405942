#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/quantity.h"
#include "core/k8s/pod_spec.h"

namespace cnsched::k8s {

/// A quantity in kube-scheduler's units: CPU in thousandths, everything else in whole units, both
/// rounded up and limited to 64 bits. kube-scheduler turns larger quantities into 0 (a pod with
/// `cpu: 1E` runs anywhere); the simulation does not, because no node has that much. Source:
/// pkg/scheduler/framework/types.go, Resource.Add.
std::int64_t amount_of(std::string_view resource, const Quantity& quantity);
/// The amount in a common unit: "500m", "16Gi", "2".
std::string shown_amount(std::string_view resource, std::int64_t amount);
/// "1Gi", "1126.4Mi"; rounded to a tenth.
std::string shown_memory(std::int64_t bytes);
/// The same in the unit of `other`, such as "8.8Gi" for "14Gi", unless both then look equal. For
/// messages that compare two amounts.
std::string shown_memory_like(std::string_view other, std::int64_t bytes);

/// A pod's request for one resource.
struct Request {
  std::string_view name;
  std::int64_t amount = 0;
  bool is_known = true;  ///< false if one of `written` is not a quantity, such as a placeholder
  /// The requests of the containers, or the limits where the API server copies them.
  std::vector<const yaml::Node*> written;
};

/// A resource that the base layer of a container sets; empty if it sets none.
struct ShippedAmount {
  std::string_view name;
  std::string_view request;
  std::string_view limit;
};

/// The base layer of a container, such as a runtime that KServe ships.
struct ShippedBase {
  std::string what;  ///< "KServe's own runtimes for 'sklearn'"
  std::string_view container;
  std::span<const ShippedAmount> amounts;
};

/// Requests that the pod spec does not contain.
struct Unwritten {
  const yaml::Node* overhead = &yaml::missing_node();  ///< of its RuntimeClass
  /// Of a running pod: containers that are resized in place request what they have or will have.
  const yaml::Node* status = &yaml::missing_node();
  std::optional<ShippedBase> base{};  ///< the probable base layer of a container
};

/// The requests of the pod as a whole: the larger of the sum over its containers and sidecars and
/// the peak of its init containers, plus the overhead. CPU, memory and ephemeral storage come
/// first, then others by name. Source: k8s.io/component-helpers resource/helpers.go, PodRequests,
/// with the defaults of pkg/apis/core/v1/defaults.go.
std::vector<Request> requests_of(const PodSpec& pod, const Unwritten& unwritten = {});

/// The exact amount of one resource, in the notation of the manifest.
struct ResourceTotal {
  std::string_view name;
  Quantity quantity;
};
/// The same as `requests_of`. Amounts that are no quantities count as 0.
std::vector<ResourceTotal> total_requests(const PodSpec& pod, const Unwritten& unwritten = {});
/// The limits of the pod as a whole, of the resources that have a limit. `overhead` is that of its
/// RuntimeClass. Source: k8s.io/component-helpers resource/helpers.go, PodLimits.
std::vector<ResourceTotal> total_limits(const PodSpec& pod, const yaml::Node& overhead);

/// The requests, and the limits of other resources, which the API server copies into requests.
/// Source: pkg/apis/core/v1/defaults.go, SetDefaults_Pod.
std::vector<ResourceAmount> with_limits(std::vector<ResourceAmount> requests,
                                        const std::vector<ResourceAmount>& limits);
/// The pod-level `resources` that the API server rejects, limits first: all but cpu, memory and
/// huge pages [P38]. Source: k8s.io/kubernetes pkg/apis/core/validation, pod-level resources.
std::vector<ResourceAmount> rejected_at_pod_level(const PodSpec& pod);

}  // namespace cnsched::k8s
