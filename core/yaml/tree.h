#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/arena.h"
#include "core/yaml/key.h"
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
/// An integer that is written nowhere, in the place of `like`.
const Node& integer_like(Arena& arena, const Node& like, std::int64_t value);
const Node& boolean_like(Arena& arena, const Node& like, bool value);

/// What a new value is made like if nothing in any file gave rise to it: a controller's constant.
inline const Node& nowhere() { return missing_node(); }

/// An entry whose key is written nowhere.
Entry entry_of(Arena& arena, Key key, const Node& value);
/// Puts `value` under `key`, in the place of what stood there.
void set(Arena& arena, std::vector<Entry>& entries, Key key, const Node& value);
/// `mapping` (which may be missing) with `value` under `key`, in the place of what stood there.
const Node& with(Arena& arena, const Node& mapping, Key key, const Node& value);
const Node& without(Arena& arena, const Node& mapping, std::string_view key);
/// `sequence` (which may be missing) and one more item.
const Node& with_item(Arena& arena, const Node& sequence, const Node& item);

/// The entries of `mapping` that a reader sees: of duplicate keys the last.
std::vector<Entry> entries_of(const Node& mapping);
/// The entries of `mapping` whose keys are among `fields`.
std::vector<Entry> pick(const Node& mapping, std::span<const std::string_view> fields);

}  // namespace cnsched::yaml
