#pragma once

#include "core/packages/overlay/select.h"
#include "core/packages/overlay/value.h"
#include "core/yaml/node.h"

namespace cnsched::overlay {

/// Applies the operations of a JSON patch (RFC 6902) to the object. A key that an operation adds
/// comes from the last step of its path. An operation that is not simulated makes the object
/// unknown. `is_shared`: the patch changes several objects.
void apply_json_patch(Maker& maker, Object& object, const yaml::Node& operations, bool is_shared);

}  // namespace cnsched::overlay
