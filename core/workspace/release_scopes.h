#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/workspace/cluster_scope.h"

namespace cnsched {

/// Splits the scope of each cluster by the releases, where several of one project are stated for
/// its files: each part is for one of them, and one is for the files that have no choice.
/// Fails if so many releases share so many objects that checking them would take too long.
Result<std::vector<ClusterScope::Content>> split_by_releases(
    const Workspace& workspace, std::vector<ClusterScope::Content> contents);

}  // namespace cnsched
