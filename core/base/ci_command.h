#pragma once

#include <cstddef>
#include <string_view>

namespace cnsched {

/// Whether a command to a CI system begins at `at`. These systems execute commands in the log of a
/// step: GitHub Actions `::error::…` at the start of a line, after any blanks, and `##[…]`; Azure
/// Pipelines `##vso[…]` and TeamCity `##teamcity[…]`, anywhere in a line. Lines are wrapped at
/// blanks, so the position after a blank counts as the start of a line. Escaping the character at
/// `at` disables the command.
bool begins_ci_command(std::string_view text, std::size_t at);

/// Whether the text contains such a command.
bool contains_ci_command(std::string_view text);

}  // namespace cnsched
