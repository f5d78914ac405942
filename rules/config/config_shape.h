#pragma once

#include "core/yaml/shape.h"

namespace cnsched::rules {

/// The keys of a configuration. The reader, the JSON Schema, the initial file and the manual page
/// are generated from it.
const yaml::Shape& config_shape();

}  // namespace cnsched::rules
