#include "core/yaml/overlay.h"

namespace cnsched::yaml {

void Overlay::add(const Entry& entry) {
  const auto [place, is_new] = places_.emplace(entry.key->text(), entries_.size());
  if (is_new) {
    entries_.push_back(entry);
  } else {
    entries_[place->second] = entry;
  }
}

void Overlay::add_all(const Node& mapping) {
  for (const Entry& entry : entries_of(mapping)) add(entry);
}

const Node& Overlay::mapping(const Node& like) const {
  return entries_.empty() ? missing_node() : mapping_like(arena_, like, entries_);
}

}  // namespace cnsched::yaml
