#pragma once

#include <string>

namespace cnsched {

/// Where `file` lies: absolute, without links among its directories. It may be a link itself, or
/// not exist.
std::string real_path(const std::string& file);

/// `real` as seen from `directory` (both absolute), with '/' between names; empty if it is not
/// below.
std::string path_below(const std::string& directory, const std::string& real);

}  // namespace cnsched
