#pragma once

#include <unordered_map>
#include <vector>

#include "core/source/edit.h"
#include "core/yaml/document.h"

namespace cnsched::yaml {

/// What a document is to become: nodes that are replaced, or erased (nullptr).
using Intent = std::unordered_map<const Node*, const Node*>;

/// Whether the edits, made in the document's text, lead to just what is intended: the text is
/// parsed again. Values that show in several places, as aliases repeat them, are intended to change
/// in the one place where they are written.
bool achieves(const std::vector<Edit>& edits, const SourceFile& file, const Document& document,
              const Intent& intent);

/// Whether the edits lead to the tree that is meant. It may share nodes with
/// the document.
bool leads_to(const std::vector<Edit>& edits, const SourceFile& file, const Document& document,
              const Node& meant);

}  // namespace cnsched::yaml
