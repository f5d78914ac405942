#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/k8s/pod_spec.h"
#include "core/k8s/quantity.h"
#include "core/workloads/shipped_base.h"

namespace cnsched::sim {

/// What kube-scheduler counts a resource in: CPU in thousandths, everything else in whole units,
/// both rounded up; capped at what 64 bits hold. Source: pkg/scheduler/framework/types.go,
/// Resource.Add.
std::int64_t amount_of(std::string_view resource, const k8s::Quantity& quantity);
/// The amount as people write it: "500m", "16Gi", "2".
std::string shown_amount(std::string_view resource, std::int64_t amount);

/// What a pod asks for of one resource.
struct Request {
  std::string_view name;
  std::int64_t amount = 0;
  bool is_known = true;  ///< false if one of `written` is no quantity (a placeholder)
  /// Where containers ask for it: their requests, or the limits that stand in for them.
  std::vector<const yaml::Node*> written;
};

/// What a pod asks for beside what is written in it.
struct Unwritten {
  const yaml::Node* overhead = &yaml::missing_node();  ///< of its RuntimeClass
  std::optional<ShippedBase> base{};  ///< probably lies beneath one of its containers
  std::string_view sidecar_cpu{};     ///< of a container that a controller adds
};

/// The request of the pod as a whole: containers together, the most that its init containers ever
/// take, and the overhead. CPU, memory and ephemeral storage come first, then others by name.
/// Source: k8s.io/component-helpers resource/helpers.go, PodRequests, with the defaults of
/// pkg/apis/core/v1/defaults.go.
std::vector<Request> requests_of(const k8s::PodSpec& pod, const Unwritten& unwritten = {});

}  // namespace cnsched::sim
