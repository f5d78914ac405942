#pragma once

#include <vector>

#include "rules/admission/fragments.h"

namespace cnsched::rules {

/// Tables of core/, such as the catalogue of accelerators, as variables of policies.
const std::vector<CelVariable>& catalogue_variables();

}  // namespace cnsched::rules
