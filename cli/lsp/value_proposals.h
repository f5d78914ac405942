#pragma once

#include "cli/lsp/proposals.h"
#include "core/workloads/cluster_scope.h"

namespace cnsched::cli::lsp {

/// Adds keys and values that no schema lists: what is known about the cluster and the workspace,
/// and what tools, KServe, Seldon and Knative define.
void propose_known(const ClusterScope& scope, const ClusterFacts& facts, bool is_key,
                   Proposals& proposals);

}  // namespace cnsched::cli::lsp
