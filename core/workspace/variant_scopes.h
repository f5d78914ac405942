#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/workspace/cluster_scope.h"

namespace cnsched {

/// Splits the scope of each cluster by the variants of the charts that are judged in it: objects of
/// two variants have the same names, and only one of them is in the cluster. Charts with a variant
/// of one name are in one scope. Objects of other files are judged in each. Of a chart without the
/// scope's variant, the first one is seen and not judged. Fails if so many variants share so many
/// objects that checking them would take too long.
Result<std::vector<ClusterScope::Content>> split_by_variants(
    const Workspace& workspace, std::vector<ClusterScope::Content> contents);

}  // namespace cnsched
