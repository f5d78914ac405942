#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/workspace/cluster_scope.h"
#include "core/workspace/load_options.h"
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

/// Splits the scope of each cluster by the releases, where several of one project are stated for
/// its files: each part is for one of them, and one is for the files that have no choice.
/// Fails if so many releases share so many objects that checking them would take too long.
Result<std::vector<ClusterScope::Content>> split_by_releases(
    const Workspace& workspace, std::vector<ClusterScope::Content> contents);

/// Splits the scope of each cluster by the variants of the charts that are judged in it: objects of
/// two variants have the same names, and only one of them is in the cluster. Charts with a variant
/// of one name are in one scope. Objects of other files are judged in each. Of a chart without the
/// scope's variant, the first one is seen and not judged. Fails if so many variants share so many
/// objects that checking them would take too long.
Result<std::vector<ClusterScope::Content>> split_by_variants(
    const Workspace& workspace, std::vector<ClusterScope::Content> contents);

}  // namespace cnsched
