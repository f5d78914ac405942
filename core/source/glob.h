#pragma once

#include <string_view>

namespace cnsched {

/// Whether `path` (with '/' between names) matches `pattern` as git's wildmatch does with
/// WM_PATHNAME: '*' and '?' stay within a name, '**' between slashes crosses names, [a-z] and
/// [!a-z] are sets, a backslash takes away a character's meaning. Time is proportional to the
/// product of the lengths, whatever the pattern.
bool wildmatch(std::string_view pattern, std::string_view path);

}  // namespace cnsched
