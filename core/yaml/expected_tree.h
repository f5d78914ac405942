#pragma once

#include <span>
#include <vector>

#include "core/base/arena.h"
#include "core/yaml/change.h"

namespace cnsched::yaml {

/// The tree that the changes, made at once, lead to; it shares nodes with the document. Null if
/// they contradict each other: one changes a node that another removes.
const Node* expected_tree(std::span<const Change> changes, const Document& document, Arena& arena);

/// Whether the edits lead to the expected tree: makes them in the document's text and parses the
/// result.
bool leads_to(const std::vector<Edit>& edits, const SourceFile& file, const Document& document,
              const Node& expected);

}  // namespace cnsched::yaml
