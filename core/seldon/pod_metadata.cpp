#include "core/seldon/pod_metadata.h"

#include <algorithm>
#include <array>

#include "core/yaml/tree.h"

namespace cnsched::seldon {

namespace {

using yaml::Entry;
using yaml::Node;

bool is_bookkeeping(std::string_view key) {
  constexpr auto kKeys = std::to_array<std::string_view>(
      {"meta.helm.sh/release-name", "meta.helm.sh/release-namespace",
       "kubectl.kubernetes.io/last-applied-configuration"});
  return std::ranges::find(kKeys, key) != kKeys.end();
}

}  // namespace

void MetadataMap::put(const Entry& entry) {
  const auto [place, is_new] = places_.emplace(entry.key->text, entries_.size());
  if (is_new) {
    entries_.push_back(entry);
  } else {
    entries_[place->second] = entry;
  }
}

void MetadataMap::add(const Node& mapping) {
  for (const Entry& entry : mapping.entries) {
    if (!entry.overridden) put(entry);
  }
}

void MetadataMap::add_without_bookkeeping(const Node& mapping) {
  for (const Entry& entry : mapping.entries) {
    if (!entry.overridden && !is_bookkeeping(entry.key->text)) put(entry);
  }
}

void MetadataMap::set(std::string_view key, const Node& value) {
  if (value) put(yaml::entry_of(arena_, key, value));
}

void MetadataMap::set(std::string_view key, std::string_view value, const Node& like) {
  set(key, yaml::string_like(arena_, like, value));
}

void MetadataMap::set_constant(std::string_view key, std::string_view value) {
  set(key, value, yaml::nowhere());
}

const Node& MetadataMap::result() const {
  return yaml::mapping_like(arena_, yaml::nowhere(), entries_);
}

}  // namespace cnsched::seldon
