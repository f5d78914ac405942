#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "cli/output/json.h"
#include "core/diag/diagnostic.h"
#include "rules/registry.h"

namespace cnsched::cli {

/// SARIF's level of a severity: error, warning or note.
std::string_view sarif_level(Severity severity);

/// A rule as SARIF's `reportingDescriptor`, with the properties that GitHub shows and sorts by.
Json sarif_rule(const rules::Listed& listed);

/// By line, the `primaryLocationLineHash` of GitHub's code scanning, which identifies findings
/// while lines move. "e9496ae3ebfced30:1": a hash of the text from the line on, and the number of
/// lines up to this one with the same hash. Lines (from 1) beyond the text are left out. Source:
/// github/codeql-action, src/fingerprints.ts.
std::map<std::size_t, std::string> line_hashes(std::string_view text,
                                               const std::set<std::size_t>& lines);

}  // namespace cnsched::cli
