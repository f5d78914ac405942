#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/arena.h"
#include "core/yaml/key.h"
#include "core/yaml/node.h"

namespace cnsched::yaml {

// Trees that are built, not parsed: a controller's view of an object. Their leaves are nodes of the
// documents and keep their spans. A new node has the span, parent and key of the node that it is
// made `like`, for messages and pointers.

/// `like` with other entries.
const Node& mapping_like(Arena& arena, const Node& like, const std::vector<Entry>& entries);
/// A sequence made like `like`, which may be of any kind.
const Node& sequence_like(Arena& arena, const Node& like, const std::vector<const Node*>& items);
const Node& string_like(Arena& arena, const Node& like, std::string_view text);
const Node& integer_like(Arena& arena, const Node& like, std::int64_t value);
const Node& boolean_like(Arena& arena, const Node& like, bool value);

/// The `like` of a value that comes from no file, such as a controller's constant.
inline const Node& nowhere() { return missing_node(); }

/// An entry with a built key.
Entry entry_of(Arena& arena, Key key, const Node& value);
/// Sets or replaces the value under `key`.
void set(Arena& arena, std::vector<Entry>& entries, Key key, const Node& value);
/// `mapping` (which may be missing) with the value under `key` set or replaced.
const Node& with(Arena& arena, const Node& mapping, Key key, const Node& value);
const Node& without(Arena& arena, const Node& mapping, std::string_view key);
/// `sequence` (which may be missing) with one more item.
const Node& with_item(Arena& arena, const Node& sequence, const Node& item);

/// `node` with other strings: `text_of` returns the text in place of one, or nothing to keep it.
/// Copies only what changes, and visits aliased nodes once. Below 100 levels nothing changes.
using TextOf = std::function<std::optional<std::string>(std::string_view)>;
const Node& with_strings(Arena& arena, const Node& node, const TextOf& text_of);

/// The effective entries of `mapping`: of duplicate keys the last.
std::vector<Entry> entries_of(const Node& mapping);
/// The entries of `mapping` whose keys are among `fields`.
std::vector<Entry> pick(const Node& mapping, std::span<const std::string_view> fields);

}  // namespace cnsched::yaml
