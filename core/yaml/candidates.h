#pragma once

#include <string>
#include <vector>

#include "core/yaml/change.h"
#include "core/yaml/layout.h"

namespace cnsched::yaml {

/// Edits that all make the same changes, in different spellings; the preferred ones first. A
/// candidate may be wrong where the text is unusual: the caller compares the result with the
/// expected tree (change.cpp). Empty if the text has no place for the change.
using Candidates = std::vector<std::vector<Edit>>;

/// Changes that the same edits make.
struct EditStep {
  std::vector<Change> changes;
  Candidates candidates;
};

/// Steps that erase the nodes, none of which is within another: neighbours share a step.
std::vector<EditStep> erase_steps(const Layout& layout, const std::vector<const Node*>& nodes);
Candidates set_candidates(const Layout& layout, const Node& node, const Node& value);
Candidates rename_candidates(const Layout& layout, const Node& node, std::string_view key);
/// `added` is a collection of only the new entry or item; `collection` is not empty. In block style
/// the comments of the entry of `replaced`, which may be null, are repeated.
Candidates add_candidates(const Layout& layout, const Node& collection, const Node& added,
                          const Node* replaced = nullptr);

/// Writes `lines`, indented as needed, at the end of a collection in block style.
Candidates append_candidates(const Layout& layout, const Node& collection, std::string lines);
/// Writes `text` after the last entry or item of a non-empty collection in flow style.
std::vector<Edit> append_in_flow(const Layout& layout, const Node& collection,
                                 const std::string& text);

/// Candidates for several changes at once: the first of each, the second of each, and so on. None
/// if one of them has none.
Candidates combined(const std::vector<Candidates>& of_each);

/// The edit that replaces a range of the document with `text`.
Edit replace(const Layout& layout, TextRange range, std::string text);
Edit insert(const Layout& layout, std::size_t at, std::string text);

}  // namespace cnsched::yaml
