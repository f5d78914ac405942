#pragma once

#include <string>
#include <string_view>

#include "core/yaml/shape.h"

namespace cnsched::rules {

/// The ids that policies may have, for schemas (ECMA 262).
inline constexpr std::string_view kPolicyIdPattern = "^[a-z][a-z0-9]*(-[a-z0-9]+)*$";
/// Why `id` cannot be one; empty if it can.
std::string mistake_of_policy_id(std::string_view id);

/// The keys of a policy, without those of conditions, which the reader of policies checks.
const yaml::Shape& policy_shape();
/// The same for a file of its own, with `apiVersion` and `kind`.
const yaml::Shape& policy_file_shape();

}  // namespace cnsched::rules
