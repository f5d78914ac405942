#pragma once

#include <string>
#include <vector>

#include "core/diag/diagnostic.h"
#include "core/workloads/workspace.h"

namespace cnsched::rules {

/// For each finding an identifier that does not depend on line numbers, other files or the working
/// directory: 32 hexadecimal digits from its rule, its file (relative to the repository's root),
/// its object, component and path. Unique in a run.
std::vector<std::string> fingerprints(const Workspace& workspace,
                                      const std::vector<Diagnostic>& findings);

}  // namespace cnsched::rules
