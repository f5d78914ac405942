#pragma once

#include <string>
#include <string_view>

namespace cnsched {

/// The directory that `file` is in, as the user would name it: "." if no other is named.
std::string directory_of(const std::string& file);

/// What `file` is called in its directory.
std::string_view file_name_of(std::string_view file);
/// The path of `name` in `directory`, which may be empty.
std::string joined(const std::string& directory, std::string_view name);

/// Where `file` lies: absolute, without links among its directories. It may be a link itself, or
/// not exist.
std::string real_path(const std::string& file);

/// `real` as seen from `directory` (both absolute), with '/' between names; empty if it is not
/// below.
std::string path_below(const std::string& directory, const std::string& real);

}  // namespace cnsched
