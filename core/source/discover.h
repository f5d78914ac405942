#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/source/read_file.h"
#include "core/source/unfollowed.h"

namespace cnsched {

/// Which files below the named paths to read.
struct DiscoverOptions {
  std::vector<std::string> exclude;  ///< gitignore(5) patterns, relative to the working directory
  /// Another reason to skip a path, for Skipped::reason. Called for each directory from the top
  /// down to the path, until one is skipped.
  std::function<std::optional<std::string>(const std::string& real, bool is_directory)> excluded;
  bool force_exclude = false;  ///< `exclude` and `excluded` also apply to named files
  bool gitignore = true;       ///< skip files that .gitignore files of the repository ignore
};

/// A path that is not read: below a named directory, or named and excluded.
struct Skipped {
  std::string path;
  std::string reason;  ///< "excluded by --exclude", …
};

struct Discovered {
  std::vector<std::string> files;      ///< sorted, each once under one of its names
  std::vector<Skipped> skipped;        ///< sorted; a directory includes everything below it
  std::vector<Unreadable> unreadable;  ///< paths that do not exist or cannot be listed
  /// Files in other languages for manifests below the named directories: Jsonnet, CUE, Terraform.
  std::vector<Unfollowed> unfollowed{};
};

/// The named files, and the .yaml, .yml and .json files below the named directories. Symbolic links
/// to files are followed; links to directories are not (they may form cycles), unless named. "-" is
/// returned unchanged.
Discovered discover(const std::vector<std::string>& paths, const DiscoverOptions& options);

}  // namespace cnsched
