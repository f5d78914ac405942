#pragma once

#include <functional>

#include "core/accelerators/devices_asked.h"
#include "core/k8s/selector.h"

namespace cnsched::accelerators {

/// What nodes are known to have. It beats whatever labels and requests tell of a node. An empty
/// function knows of none.
struct Evidence {
  /// Whether a node meets both demands.
  std::function<bool(const k8s::Requirement&, const k8s::Requirement&)> meets{};
  /// Whether a node meets the demand and offers what is asked for.
  std::function<bool(const k8s::Requirement&, const AskedDevice&)> offers{};

  bool of(const k8s::Requirement& a, const k8s::Requirement& b) const {
    return meets && meets(a, b);
  }
  bool of(const k8s::Requirement& demand, const AskedDevice& device) const {
    return offers && offers(demand, device);
  }
};

}  // namespace cnsched::accelerators
