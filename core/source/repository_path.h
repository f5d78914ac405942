#pragma once

#include <map>
#include <string>

namespace cnsched {

/// Names files by where they lie in their repository, as reports and baselines do.
class RepositoryPaths {
 public:
  /// "models/llama.yaml", from the repository's root, symbolic links resolved; without a repository
  /// from the working directory; what lies outside, and what is no file ("<stdin>"), as it is.
  std::string of(const std::string& path);

 private:
  std::map<std::string, std::string> of_directory_;  ///< ends with '/', or is empty
};

}  // namespace cnsched
