#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/source/source_file.h"

namespace cnsched {

/// Whether kustomize reads a file of that name as a kustomization.
bool is_kustomization(const std::string& path);

/// Finds out which of some files are kustomize patches: a kustomization lists them [P60]. Source:
/// kustomize api/types/kustomization.go, fix.go.
class PatchSearch {
 public:
  /// Of these files, by their paths as the user named them.
  explicit PatchSearch(std::vector<std::string> files) : named_(std::move(files)) {}

  /// Reads a kustomization. Invalid YAML lists nothing; a kustomization is not linted.
  void read(const SourceFile& kustomization);
  /// Reads the kustomizations on the disk that are beside `file` or in a directory above it, up to
  /// the root of its repository; each once, and none that `read` has had.
  void look_around(const std::string& file);

  /// Those of the files that are patches.
  const std::set<std::string>& found() const { return found_; }

 private:
  std::string real_directory_of(const std::string& file);
  /// `file` as real_path has it.
  std::string real(const std::string& file);
  void read_from_disk(const std::string& path);
  void add_listed_in(const SourceFile& kustomization, const std::string& directory);
  const std::map<std::string, std::vector<std::string>>& files();

  std::vector<std::string> named_;
  std::map<std::string, std::string> real_directories_;    ///< by the directory as named
  std::map<std::string, std::vector<std::string>> files_;  ///< as named, by their real paths, once
                                                           ///< any patch is listed
  std::set<std::string> found_;
  std::set<std::string> read_;       ///< real paths of kustomizations
  std::set<std::string> looked_at_;  ///< real paths of directories
};

}  // namespace cnsched
