#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace cnsched::cli {

/// By line, the `primaryLocationLineHash` of GitHub's code scanning, which identifies findings
/// while lines move. "e9496ae3ebfced30:1": a hash of the text from the line on, and the number of
/// lines up to this one with the same hash. Lines (from 1) beyond the text are left out. Source:
/// github/codeql-action, src/fingerprints.ts.
std::map<std::size_t, std::string> line_hashes(std::string_view text,
                                               const std::set<std::size_t>& lines);

}  // namespace cnsched::cli
