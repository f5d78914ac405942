#pragma once

#include <string_view>

#include "core/yaml/node.h"

namespace cnsched::kserve {

/// The runtime that a predictor names: `model.runtime`; empty where KServe chooses one.
std::string_view runtime_name(const yaml::Node& predictor);

}  // namespace cnsched::kserve
