#pragma once

#include "core/yaml/shape.h"

namespace cnsched::rules {

/// All that a configuration may hold. The reader, the JSON Schema, the file to start from and the
/// manual page are made of it: there is no other list of the keys.
const yaml::Shape& config_shape();

}  // namespace cnsched::rules
