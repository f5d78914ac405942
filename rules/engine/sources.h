#pragma once

#include <vector>

#include "core/diag/diagnostic.h"
#include "core/workspace/workspace.h"

namespace cnsched::rules {

/// Moves findings in rendered files to the sources that they were rendered from, as far as these
/// are certain: to the line of the template, the values file, the base or the patch. The others
/// stay where they are, with the file if that is known.
void move_to_sources(const Workspace& workspace, std::vector<Diagnostic>& findings);

}  // namespace cnsched::rules
