#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/yaml/tree.h"

namespace cnsched::yaml {

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
