#pragma once

#include <map>
#include <string>
#include <string_view>

namespace cnsched {

/// The directory part of `file`; "." if it has none.
std::string directory_of(const std::string& file);

/// The name of `file` in its directory.
std::string_view file_name_of(std::string_view file);
/// The path of `name` in `directory`. That of the working directory ("." or empty) is the name.
std::string joined(const std::string& directory, std::string_view name);

/// The absolute path of `file` with the links among its directories resolved. The file itself may
/// be a link, or not exist.
std::string real_path(const std::string& file);

/// The absolute path of `file` with all links resolved, also the last one.
std::string resolved_path(const std::string& file);

/// An identifier that is equal for all names of one file, through any link; `file` itself for "-"
/// and for a file that does not exist.
std::string file_identity(const std::string& file);

/// The path of `real` relative to `directory` (both absolute); empty if it is not below.
std::string path_below(const std::string& directory, const std::string& real);

/// Whether `path` is `directory` or below it (both absolute).
bool is_at_or_below(const std::string& directory, const std::string& path);

/// The directory at or above `directory` that contains .git, or an empty string.
std::string repository_root(const std::string& directory);

/// The outermost directory at or above `directory`, an absolute path, that contains .git; links in
/// the path stay. Empty if there is none.
std::string outermost_repository(const std::string& directory);

/// Where the files of a package, or of a walk, in `directory` (real) may be: in its repository;
/// without one, in the working directory, or in its own directory if that is elsewhere or the
/// working directory is the root of the file system. A real path.
std::string source_root(const std::string& directory);

/// Whether the file is named as one below `root` (real), but a link leads out of that.
bool links_out(const std::string& file, const std::string& root);

/// The parent of `directory`, for a search upwards; empty at the root of a repository and of the
/// file system, where the search ends.
std::string parent_in_repository(const std::string& directory);

/// Paths relative to the repository, for reports and baselines.
class RepositoryPaths {
 public:
  /// "models/llama.yaml": relative to the repository's root, or without a repository to the working
  /// directory, with symbolic links resolved. A path outside, or without a file ("<stdin>"),
  /// is returned unchanged.
  std::string of(const std::string& path);

 private:
  std::map<std::string, std::string> of_directory_;  ///< ends with '/', or is empty
};

}  // namespace cnsched
