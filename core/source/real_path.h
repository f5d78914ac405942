#pragma once

#include <string>

namespace cnsched {

/// The directory that `file` is in, as the user would name it: "." if no other is named.
std::string directory_of(const std::string& file);

/// Where `file` lies: absolute, without links among its directories. It may be a link itself, or
/// not exist.
std::string real_path(const std::string& file);

/// `real` as seen from `directory` (both absolute), with '/' between names; empty if it is not
/// below.
std::string path_below(const std::string& directory, const std::string& real);

}  // namespace cnsched
