#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/yaml/document.h"
#include "core/yaml/tree.h"

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

/// A flat mapping merged from several, as controllers merge labels: of equal keys the last value
/// wins, at the position of the first.
class Overlay {
 public:
  explicit Overlay(Arena& arena) : arena_(arena) {}

  void add(const Entry& entry);
  /// An entry with a built key.
  void add(Key key, const Node& value) { add(entry_of(arena_, key, value)); }
  /// Every entry of `mapping`, which may be missing.
  void add_all(const Node& mapping);

  bool has(std::string_view key) const { return places_.contains(key); }
  /// The merged mapping, made like `like` (tree.h); a missing node if nothing was added.
  const Node& mapping(const Node& like) const;

 private:
  Arena& arena_;
  std::vector<Entry> entries_;
  std::unordered_map<std::string_view, std::size_t> places_;
};

}  // namespace cnsched::yaml
