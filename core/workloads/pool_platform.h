#pragma once

#include "core/workloads/node_pools.h"

namespace cnsched {

/// Whether the nodes are plainly GKE's, EKS's or AKS's, whose API servers run the admission plugin
/// ExtendedResourceToleration. Labels of Karpenter for AWS alone do not tell: it runs on other
/// clusters as well. Source: facts on Kubernetes scheduling, 4.1.
bool has_extended_resource_toleration(const NodePool& pool);

}  // namespace cnsched
