#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/arena.h"
#include "core/yaml/edited.h"

namespace cnsched::yaml {

// An entry that goes to another place of its document. Mappings on the way that are missing are
// made. Mappings and lists that are there already take what they do not have: lists the items that
// are not among theirs, mappings the keys, deeper ones included. What would replace another value
// has no room.

/// The keys of `pointer`, such as "/spec/predictor".
std::vector<std::string> keys_of(std::string_view pointer);

/// Whether `value` can be at the end of the path.
bool has_room(const Node& mapping, std::span<const std::string> path, const Node& value);
/// What `mapping` becomes with `value` at the end of the path, or null if there is no room.
const Node* with_moved(Arena& arena, const Node& mapping, std::span<const std::string> path,
                       const Node& value);

/// Ways to write the entry `node` once more below `mapping`: with its lines, comments included, as
/// far in as it has to be there. None if a comment would be lost, or there is no room.
Ways ways_to_write_at(const Edited& edited, const Node& mapping, std::span<const std::string> path,
                      const Node& node);

/// Whether the entry is all that is in a mapping that it stays in, a level further in or out: it is
/// written in its own place, and nothing is erased.
bool stays_in_parent(const Node& node, const Node& mapping, std::span<const std::string> path);
/// Ways to write such a one.
Ways ways_to_rewrite(const Edited& edited, const Node& mapping, std::span<const std::string> path,
                     const Node& node);

}  // namespace cnsched::yaml
