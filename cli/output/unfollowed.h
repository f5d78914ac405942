#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/output/json.h"
#include "core/source/discover.h"

namespace cnsched::cli {

/// Lines for the summary of `command`: what was not followed, and the flag or the command that
/// includes it. At most one line for each tool.
std::vector<std::string> describe(std::span<const Unfollowed> unfollowed, std::string_view command);

/// The `skipped` list of the JSON report.
Json json_of(std::span<const Unfollowed> unfollowed);

}  // namespace cnsched::cli
