#pragma once

#include "core/yaml/change.h"

namespace cnsched::rules {

/// Takes the annotation away, and `annotations` with it if there is no other.
inline yaml::Change to_erase_annotation(const yaml::Node& value) {
  const bool alone = value.parent()->entries().size() == 1 && value.parent()->key() != nullptr;
  return yaml::to_erase(alone ? *value.parent() : value);
}

}  // namespace cnsched::rules
