#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/workspace/cluster_scope.h"
#include "core/workspace/scope_search.h"

namespace cnsched {

/// Distributes the objects of a workspace over the clusters that they are for: one scope, with all
/// objects, unless the configuration names clusters or the directories show several
/// (`find_scopes`), or charts have variants (`split_by_variants`). Objects of files of facts are in
/// every scope. Fails if so many clusters share so many objects that checking them would take too
/// long.
Result<std::vector<ClusterScope::Content>> scope_contents(
    const Workspace& workspace, const std::vector<DeclaredCluster>& declared,
    const KustomizeUsers& users);

}  // namespace cnsched
