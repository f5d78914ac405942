#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/k8s/objects.h"
#include "core/workloads/workload.h"

namespace cnsched {

/// A resource of the model server's container in a base; empty if it sets none.
struct ShippedAmount {
  std::string_view name;
  std::string_view request;
  std::string_view limit;
};

/// A runtime or ServerConfig that KServe or Seldon ship.
struct ShippedBase {
  std::string what;  ///< "KServe's own runtimes for 'sklearn'"
  std::string_view container;
  std::span<const ShippedAmount> amounts;
};

/// The probable base of a pod whose base is not known: the one that is installed with the
/// controller. The cluster's may differ. Nothing for pods that name a base of their own.
std::optional<ShippedBase> shipped_base(const Workload& workload, const k8s::Objects& objects);

}  // namespace cnsched
