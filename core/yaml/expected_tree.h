#pragma once

#include <span>
#include <vector>

#include "core/base/arena.h"
#include "core/yaml/change.h"

namespace cnsched::yaml {

/// The tree after all of the changes; it shares nodes with the document. Null if they contradict
/// each other: one changes a node that another removes.
const Node* expected_tree(std::span<const Change> changes, const Document& document, Arena& arena);

/// Whether the document's text with the edits parses to the expected tree.
bool leads_to(const std::vector<Edit>& edits, const SourceFile& file, const Document& document,
              const Node& expected);

}  // namespace cnsched::yaml
