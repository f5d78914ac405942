#pragma once

#include "core/facts/node_pools.h"

namespace cnsched::facts {

/// Whether the nodes are plainly GKE's, EKS's or AKS's, whose API servers run the admission plugin
/// ExtendedResourceToleration. Labels of Karpenter for AWS alone do not decide: it runs on other
/// clusters as well [P30].
bool has_extended_resource_toleration(const NodePool& pool);

/// Whether no input states that the pool has accelerators, and Karpenter may still choose machines
/// with some: no requirement limits the machines, or it also admits such. A Provisioner, of
/// Karpenter's first API, chooses machines without any by default.
bool may_get_accelerators(const NodePool& pool);

}  // namespace cnsched::facts
