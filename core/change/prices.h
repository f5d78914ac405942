#pragma once

#include <functional>
#include <map>
#include <string>

namespace cnsched::change {

/// Prices per hour by resource and product: `prices` of the configuration.
using Prices = std::map<std::string, std::map<std::string, double, std::less<>>, std::less<>>;

}  // namespace cnsched::change
