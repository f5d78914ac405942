#pragma once

#include <span>

#include "core/base/arena.h"
#include "core/yaml/change.h"

namespace cnsched::yaml {

/// The tree that the changes, made at once, lead to; it shares nodes with the document. Null if
/// they do not fit together: one is of a node that another one takes away.
const Node* meant_by(std::span<const Change> changes, const Document& document, Arena& arena);

}  // namespace cnsched::yaml
