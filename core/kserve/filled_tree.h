#pragma once

#include "core/base/arena.h"
#include "core/kserve/go_template.h"

namespace cnsched::kserve {

/// `node` with the expressions in all its strings filled in; what cannot be stays as it is written.
const yaml::Node& filled(const yaml::Node& node, const TemplateValues& values, Arena& arena);

}  // namespace cnsched::kserve
