#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/yaml/document.h"

namespace cnsched::yaml {

/// Whether `entry` is written `<<: …`, which merges other mappings into its own.
bool is_merge_key(const Entry& entry);

/// Replaces each `<<` by the entries that it brings in, as kubectl does: in the order of the file,
/// so that a `<<` below a key wins over it (YAML says otherwise); of a list, earlier mappings win.
/// What a merged entry loses to another is dropped. Each entry that
/// comes in is taken off `budget`, which may not run out.
std::optional<Problem> expand_merge_keys(std::vector<Entry>& entries, std::size_t& budget);

/// Marks each entry whose key comes again further down, be it spelt in another way (`no` and
/// `false`).
void mark_overridden(std::span<Entry> entries);

}  // namespace cnsched::yaml
