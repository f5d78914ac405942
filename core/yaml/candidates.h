#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/arena.h"
#include "core/yaml/change.h"
#include "core/yaml/layout.h"
#include "core/yaml/node.h"

namespace cnsched::yaml {

/// Edits that all make the same changes, in different spellings; the preferred ones first. A
/// candidate may be wrong where the text is unusual: the caller compares the result with the
/// expected tree (change.cpp). Empty if the text has no place for the change.
using Candidates = std::vector<std::vector<Edit>>;

/// Changes that the same edits make.
struct JointChanges {
  std::vector<Change> changes;
  Candidates candidates;
};

/// Steps that erase the nodes, none of which is within another: neighbours share a step.
std::vector<JointChanges> erase_steps(const Layout& layout, const std::vector<const Node*>& nodes);
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

/// `value` in flow style, in the place of `node` or beside it: as JSON in a JSON document, in
/// double quotes where other strings are, on several lines where other entries are.
std::string flow_text(const Layout& layout, const Node& node, const Node& value);
/// A key, quoted as the other keys of `mapping`.
std::string flow_key(const Layout& layout, const Node& mapping, std::string_view key);

/// `value`, a non-empty mapping or list, as lines in block style, each indented by `indent` and
/// ended by `line_break`.
std::string block_lines(const Node& value, std::size_t indent, std::string_view line_break);

/// Without the line break of the last line.
std::string without_last_break(std::string lines);
/// `lines`, which end with LF, with another line break.
std::string in_line_breaks(std::string_view lines, std::string_view line_break);

// The move of an entry to another place of its document. Missing mappings on the path are created.
// An existing list gets the items that it does not have, an existing mapping the keys, recursively.
// There is no room if the move would replace another value.

/// The keys of `pointer`, such as "/spec/predictor".
std::vector<std::string> keys_of(std::string_view pointer);

/// Whether `value` can be at the end of the path.
bool has_room(const Node& mapping, std::span<const std::string> path, const Node& value);
/// What `mapping` becomes with `value` at the end of the path, or null if there is no room.
const Node* with_moved(Arena& arena, const Node& mapping, std::span<const std::string> path,
                       const Node& value);

/// Candidates that write the entry `node` once more below `mapping`: with its lines, comments
/// included, at the indentation that it needs there. None if a comment would be lost, or there is
/// no room.
Candidates move_candidates(const Layout& layout, const Node& mapping,
                           std::span<const std::string> path, const Node& node);

/// Whether the entry is the only one of its mapping and stays there, a level further in or out: it
/// is rewritten in its place, and nothing is erased.
bool stays_in_parent(const Node& node, const Node& mapping, std::span<const std::string> path);
/// Candidates that rewrite such an entry.
Candidates rewrite_candidates(const Layout& layout, const Node& mapping,
                              std::span<const std::string> path, const Node& node);

}  // namespace cnsched::yaml
