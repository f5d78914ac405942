#pragma once

#include <string>
#include <vector>

#include "core/diag/diagnostic.h"
#include "core/workloads/workspace.h"

namespace cnsched::rules {

/// For each finding a name that it keeps when lines move, other files come and go, or the working
/// directory is another one: 32 hexadecimal digits of its rule, its file (from the repository's
/// root), its object, component and path. No two findings of a run have the same.
std::vector<std::string> fingerprints(const Workspace& run,
                                      const std::vector<Diagnostic>& findings);

}  // namespace cnsched::rules
