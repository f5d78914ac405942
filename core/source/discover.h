#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/source/limits.h"

namespace cnsched {

/// Which files below the named paths to read.
struct DiscoverOptions {
  std::vector<std::string> exclude;  ///< gitignore(5) patterns, relative to the working directory
  /// Why else a path is left out, for Skipped::reason; asked from the top down, until it is.
  std::function<std::optional<std::string>(const std::string& real, bool is_directory)> excluded;
  bool force_exclude = false;  ///< both also hold for files that were named
  bool gitignore = true;       ///< leave out what .gitignore files of the repository ignore
};

struct Unreadable {
  std::string path;
  std::string reason;
  std::size_t line = 0;  ///< where it is that it cannot be read; 0: nowhere in particular
};

/// A path below a named directory, or an excluded one, that is not read.
struct Skipped {
  std::string path;
  std::string reason;  ///< "excluded by --exclude", …
};

struct Discovered {
  std::vector<std::string> files;      ///< sorted, each once, whatever names lead to it
  std::vector<Skipped> skipped;        ///< sorted; a directory stands for all below it
  std::vector<Unreadable> unreadable;  ///< paths that do not exist or may not be listed
};

/// Files as named, and the .yaml, .yml and .json files below the directories that are named.
/// Symbolic links to files are followed, links to directories are not (they may lead in circles),
/// unless named. "-" is passed on as it is.
Discovered discover(const std::vector<std::string>& paths, const DiscoverOptions& options);

/// The directory at or above `directory` that holds .git, or an empty string.
std::string repository_root(const std::string& directory);

/// The next directory on the way up from `directory`, where what holds for its files may lie as
/// well; empty at the root of a repository, which is as far as such a search goes.
std::string above_in_repository(const std::string& directory);

}  // namespace cnsched
