#pragma once

#include "core/workloads/workspace.h"
#include "core/yaml/change.h"

namespace cnsched {

/// The document that a change is made in; null if it is none of the linted files, or several. The
/// change may be of what a merged pod shows: it becomes one of what is written.
const yaml::Document* document_of(yaml::Change& change, const Workspace& run);

}  // namespace cnsched
