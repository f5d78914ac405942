#include "core/yaml/merge_keys.h"

#include <deque>
#include <ranges>
#include <string>
#include <unordered_map>

#include "core/yaml/scalar.h"

namespace cnsched::yaml {

namespace {

/// The mappings in the value of a `<<`, the one with the lowest precedence first.
std::vector<const Node*> sources_of(const Node& value) {
  if (!value.is_sequence() || value.anchored() != nullptr) return {&value};
  return {value.items().rbegin(), value.items().rend()};
}

void append_merged(const Node& source, std::vector<Entry>& entries) {
  for (Entry entry : source.entries()) {
    if (entry.overridden) continue;
    entry.merged = true;
    entries.push_back(entry);
  }
}

Problem not_mergeable(const Node& source) {
  return {source.span, "'<<' can only merge a mapping",
          "give it an alias of a mapping, such as *defaults, or a list of such aliases"};
}

Problem too_many(const Node& source) {
  return {source.span, "'<<' merges too many entries",
          "write the entries directly, or merge smaller mappings"};
}

}  // namespace

bool is_merge_key(const Entry& entry) { return !entry.key->quoted && entry.key->text() == "<<"; }

std::optional<Problem> expand_merge_keys(std::vector<Entry>& entries, std::size_t& budget) {
  std::vector<Entry> expanded;
  for (const Entry& entry : entries) {
    if (!is_merge_key(entry)) {
      expanded.push_back(entry);
      continue;
    }
    for (const Node* source : sources_of(*entry.value)) {
      if (!source->is_mapping()) return not_mergeable(*source);
      if (source->entries().size() > budget) return too_many(*source);
      budget -= source->entries().size();
      append_merged(*source, expanded);
    }
  }
  mark_overridden(expanded);
  std::erase_if(expanded, [](const Entry& entry) { return entry.merged && entry.overridden; });
  entries = std::move(expanded);
  return std::nullopt;
}

void mark_overridden(std::span<Entry> entries) {
  constexpr std::size_t kFew = 12;  // up to this number pairwise comparison is faster than hashing
  if (entries.size() <= kFew) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      for (std::size_t j = i + 1; j < entries.size(); ++j) {
        if (is_same_key(*entries[i].key, *entries[j].key)) entries[i].overridden = true;
      }
    }
    return;
  }
  std::unordered_map<std::string_view, Entry*> last;
  std::deque<std::string> texts;
  for (Entry& entry : entries) {
    const Node& key = *entry.key;
    const auto [place, first] =
        last.emplace(key.is_string() ? key.text() : texts.emplace_back(key_text(key)), &entry);
    if (first) continue;
    place->second->overridden = true;
    place->second = &entry;
  }
}

}  // namespace cnsched::yaml
