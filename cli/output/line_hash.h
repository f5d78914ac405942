#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace cnsched::cli {

/// By line, what GitHub's code scanning calls `primaryLocationLineHash`: it tells findings apart
/// while lines move. "e9496ae3ebfced30:1": a hash of what stands from the line on, and how many
/// lines up to this one have it. Lines (from 1) that the text does not have are left out.
/// Source: github/codeql-action, src/fingerprints.ts.
std::map<std::size_t, std::string> line_hashes(std::string_view text,
                                               const std::set<std::size_t>& lines);

}  // namespace cnsched::cli
