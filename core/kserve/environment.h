#pragma once

#include <string_view>

#include "core/base/arena.h"
#include "core/yaml/node.h"

namespace cnsched::kserve {

/// The value of an environment variable that is written out, or a missing node.
const yaml::Node& environment(const yaml::Node& container, std::string_view name);

/// `container` with that variable set, in the place of what it was, else behind the others; made
/// like `cause`.
const yaml::Node& with_environment(const yaml::Node& container, std::string_view name,
                                   std::string_view value, const yaml::Node& cause, Arena& arena);

}  // namespace cnsched::kserve
