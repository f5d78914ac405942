#pragma once

#include <span>
#include <string>
#include <string_view>

namespace cnsched {

/// The program of that name in a directory of `path` (as PATH is), but not in a relative directory
/// and not in a repository that holds one of the checked files, not even in one around theirs: what
/// is checked must not choose the program. Empty if there is none.
std::string find_program(std::string_view name, std::string_view path,
                         std::span<const std::string> checked);

/// The directories of `path` that `find_program` searches.
std::string trusted_path(std::string_view path, std::span<const std::string> checked);

}  // namespace cnsched
