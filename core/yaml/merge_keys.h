#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/yaml/document.h"
#include "core/yaml/node.h"

namespace cnsched::yaml {

/// Whether `entry` is `<<: …`, which merges other mappings into its own.
bool is_merge_key(const Entry& entry);

/// Replaces each `<<` by the entries that it merges in, as kubectl does: in the order of the file,
/// so a `<<` below a key overrides it (in YAML the key would win); of a list, earlier mappings win.
/// Merged entries that are overridden are dropped. Each merged entry takes one off `budget`.
/// Returns a problem if the budget is used up or `<<` has a value that is not a mapping.
std::optional<Problem> expand_merge_keys(std::vector<Entry>& entries, std::size_t& budget);

/// Marks each entry whose key is repeated further down, also in another spelling (`no` and
/// `false`).
void mark_overridden(std::span<Entry> entries);

}  // namespace cnsched::yaml
