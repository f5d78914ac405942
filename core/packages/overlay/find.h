#pragma once

#include <optional>

#include "core/packages/overlay/select.h"
#include "core/packages/overlay/value.h"
#include "core/source/source_file.h"
#include "core/yaml/node.h"

namespace cnsched::overlay {

/// What a span of a rendered object is, and what the build has there.
struct Found {
  const yaml::Node* node = nullptr;  ///< the value, or the value of the key
  const Value* value = nullptr;
  const Member* member = nullptr;  ///< of the value; null for an item
  bool is_key = false;
  bool is_name = false;  ///< of `metadata.name`
};

/// Follows a span through a rendered object and through what the build made of it. `where` is a key
/// or a value, or a part of a scalar. Nothing if they do not agree on the way, or if the build does
/// not know the value.
std::optional<Found> find_in(const yaml::Node& root, const Object& object, Span where);

}  // namespace cnsched::overlay
