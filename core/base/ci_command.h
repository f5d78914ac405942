#pragma once

#include <cstddef>
#include <string_view>

namespace cnsched {

/// Whether a command to a CI system begins at `at`. Such systems obey what stands in the log of a
/// step: GitHub Actions `::error::…` at the start of a line, whatever blanks are before it, and
/// `##[…]`; Azure Pipelines `##vso[…]` and TeamCity `##teamcity[…]`, wherever in a line. Since
/// lines are wrapped at blanks, what follows one counts as the start of a line. No command is left
/// once the character at `at` is escaped.
bool begins_ci_command(std::string_view text, std::size_t at);

/// Whether one begins anywhere.
bool holds_ci_command(std::string_view text);

}  // namespace cnsched
