#pragma once

#include "core/workspace/workspace.h"
#include "core/yaml/change.h"

namespace cnsched {

/// The document that a change edits; null if it is not in a linted file, or in several. A change of
/// a merged node becomes a change of the written node.
const yaml::Document* document_of(yaml::Change& change, const Workspace& workspace);

}  // namespace cnsched
