#pragma once

#include <string>
#include <string_view>

#include "core/yaml/node.h"

namespace cnsched::seldon {

/// The name of a list item in messages: `label` and its name, or its index if it has none.
std::string item_name(std::string_view label, const yaml::Node& item, std::size_t index);

}  // namespace cnsched::seldon
