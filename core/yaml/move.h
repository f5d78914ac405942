#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/arena.h"
#include "core/yaml/candidates.h"

namespace cnsched::yaml {

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
