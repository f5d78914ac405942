#pragma once

#include <string>
#include <string_view>

#include "core/yaml/node.h"

namespace cnsched::seldon {

/// What a user knows the item of a list by: `label` and its name, or its index without one.
std::string item_name(std::string_view label, const yaml::Node& item, std::size_t index);

}  // namespace cnsched::seldon
