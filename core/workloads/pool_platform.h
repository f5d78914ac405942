#pragma once

#include "core/workloads/node_pools.h"

namespace cnsched {

/// Whether the nodes are plainly GKE's, EKS's or AKS's, whose API servers run the admission plugin
/// ExtendedResourceToleration. Labels of Karpenter for AWS alone do not tell: it runs on other
/// clusters as well. Source: facts on Kubernetes scheduling, 4.1.
bool has_extended_resource_toleration(const NodePool& pool);

/// Whether nothing says that the pool has accelerators, and yet Karpenter may choose machines with
/// some for it: no requirement limits the machines, or it also admits such. A Provisioner, of
/// Karpenter's first API, chooses machines without any unless it is told.
bool may_get_accelerators(const NodePool& pool);

}  // namespace cnsched
