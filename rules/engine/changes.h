#pragma once

#include "core/yaml/change.h"

namespace cnsched::rules {

/// Removes an item, and with the last one the list.
inline yaml::Change to_erase_item(const yaml::Node& item) {
  const bool is_last = item.parent != nullptr && item.parent->items.size() == 1;
  return yaml::to_erase(is_last ? *item.parent : item);
}

}  // namespace cnsched::rules
