#pragma once

#include <string_view>

#include "cli/output/json.h"
#include "core/diag/diagnostic.h"
#include "rules/registry.h"

namespace cnsched::cli {

/// SARIF's level of a severity: error, warning or note.
std::string_view sarif_level(Severity severity);

/// A rule as SARIF's `reportingDescriptor`, with the properties that GitHub shows and sorts by.
Json sarif_rule(const rules::Listed& listed);

}  // namespace cnsched::cli
