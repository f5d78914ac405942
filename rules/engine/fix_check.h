#pragma once

#include <functional>
#include <vector>

#include "core/diag/diagnostic.h"
#include "core/workspace/workspace.h"

namespace cnsched::rules {

/// Drops unsafe fixes that move or rename a field and make an error: each is applied to its
/// document in memory, which is linted alone with `lint`. The help then names the error. What would
/// take too long to lint is dropped as well.
void drop_harmful_fixes(const Workspace& workspace, std::vector<Diagnostic>& findings,
                        const std::function<std::vector<Diagnostic>(const Workspace&)>& lint);

}  // namespace cnsched::rules
