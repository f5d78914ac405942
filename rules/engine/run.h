#pragma once

#include <span>
#include <vector>

#include "core/diag/diagnostic.h"
#include "core/workloads/workspace.h"
#include "rules/engine/selection.h"
#include "rules/engine/suppress.h"
#include "rules/registry.h"

namespace cnsched::rules {

/// Runs those of `rules` that are selected over the linted files of `workspace`. The findings are
/// sorted by path, place and rule; what several pods report about one place in the same words comes
/// once. Those that a comment or an annotation suppresses are marked, and have no fix.
std::vector<Diagnostic> run(const Workspace& workspace, const Selection& selection,
                            std::span<const Listed> rules = all_rules(),
                            const IgnoreOptions& ignores = {});

}  // namespace cnsched::rules
