#pragma once

#include <vector>

#include "core/diag/diagnostic.h"
#include "core/workloads/workspace.h"
#include "rules/engine/selection.h"

namespace cnsched::rules {

/// Runs the selected rules over the linted files of `workspace`. The findings are sorted by path,
/// place and rule; what several pods report about one place in the same words comes once.
std::vector<Diagnostic> run(const Workspace& workspace, const Selection& selection);

}  // namespace cnsched::rules
