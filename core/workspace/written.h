#pragma once

#include "core/workspace/workspace.h"
#include "core/yaml/change.h"

namespace cnsched {

/// The document that the changes edit; null if it is not in a linted file, or in several. A change
/// of a merged node becomes a change of the written node.
const yaml::Document* document_of(std::vector<yaml::Change>& changes, const Workspace& workspace);

}  // namespace cnsched
