#pragma once

#include "core/yaml/shape.h"

namespace cnsched::rules {

/// The keys of a policy, without those of conditions, which the reader of policies checks.
const yaml::Shape& policy_shape();
/// The same for a file of its own, with `apiVersion` and `kind`.
const yaml::Shape& policy_file_shape();

}  // namespace cnsched::rules
