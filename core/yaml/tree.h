#pragma once

#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/arena.h"
#include "core/yaml/node.h"

namespace cnsched::yaml {

// Trees that no file holds as a whole: a controller's view of an object. Their leaves are nodes of
// the documents, so every value still knows where it is written; what is new stands, for messages
// and pointers, in the place of the node that it is made `like`.

/// `like` with other entries.
const Node& mapping_like(Arena& arena, const Node& like, const std::vector<Entry>& entries);
/// A sequence in the place of `like`, whatever kind that is.
const Node& sequence_like(Arena& arena, const Node& like, const std::vector<const Node*>& items);
/// A string that is written nowhere, in the place of `like`.
const Node& string_like(Arena& arena, const Node& like, std::string_view text);

/// The entries of `mapping` whose keys are among `fields`.
std::vector<Entry> pick(const Node& mapping, std::span<const std::string_view> fields);

}  // namespace cnsched::yaml
