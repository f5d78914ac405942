#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cnsched::rules {

/// The regular expression that matches what wildmatch (core/source/ignore_patterns.h) matches;
/// nothing for patterns with `**` or with characters beyond ASCII.
std::optional<std::string> regex_of_glob(std::string_view glob);

}  // namespace cnsched::rules
