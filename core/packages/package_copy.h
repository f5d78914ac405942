#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/packages/package.h"

namespace cnsched::packages {

/// What an engine reads in place of a package: regular files below a directory that cnsched chose.
struct PackageCopy {
  std::string directory{};            ///< where the engine runs
  std::string path{};                 ///< of the chart; an overlay is built where the engine runs
  std::vector<std::string> values{};  ///< files, for the chart
  /// Paths of the copy, and what a user calls them; the longer ones first.
  std::vector<std::pair<std::string, std::string>> names{};

  /// A message of an engine with the user's names.
  std::string with_names(std::string message) const;
};

/// Copies the package into `directory`, which is made, with `values` for a chart: each file as it
/// is, or its text in Package::replaced. Nothing outside of the repository is read, and nothing of
/// `.git`: a chart with a link to such a file is a failure, and of an overlay such a file is
/// missing. Charts beside it that a chart names with `file://` are put into its `charts/`.
std::optional<Unreadable> copy_package(const Package& package,
                                       const std::vector<std::string>& values,
                                       const std::string& directory, PackageCopy& copy);

}  // namespace cnsched::packages
