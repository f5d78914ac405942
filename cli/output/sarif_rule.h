#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "core/diag/diagnostic.h"
#include "rules/registry.h"

namespace cnsched::cli {

/// SARIF's word for a severity: error, warning or note.
std::string_view sarif_level(Severity severity);

/// A rule as SARIF's `reportingDescriptor`, with what GitHub shows and sorts by.
nlohmann::ordered_json sarif_rule(const rules::Listed& listed);

}  // namespace cnsched::cli
