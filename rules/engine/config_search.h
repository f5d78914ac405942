#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rules/engine/config.h"

namespace cnsched::rules {

class ConfigReader;

/// Reads the configurations of a run while its files are being found, each once.
class ConfigSearch {
 public:
  /// Keeps the bytes of what it reads among `sources`, since findings may point into it.
  explicit ConfigSearch(Sources& sources);
  ~ConfigSearch();
  ConfigSearch(const ConfigSearch&) = delete;
  ConfigSearch& operator=(const ConfigSearch&) = delete;

  /// `path` holds for every file, and no other is looked for. The first such word counts: a pipe
  /// can be read once.
  void use_only(const std::string& path);
  /// Why configuration leaves `real` out (absolute, see real_path): "excluded by 'charts/'
  /// (.cnsched.yaml:3)". Nothing if it does not. Directories above it are not looked at.
  std::optional<std::string> exclusion_of(const std::string& real, bool is_directory);
  /// What holds for `files`. Fails with all errors that were met, one per line.
  Result<Configs> finish(const std::vector<std::string>& files);

 private:
  /// What holds in a directory, by its real path; null if nothing does.
  const Config* at(const std::string& directory);

  Sources& sources_;
  std::unique_ptr<ConfigReader> reader_;
  const Config* only_ = nullptr;
  bool searches_ = true;
  std::map<std::string, const Config*> by_directory_;
};

}  // namespace cnsched::rules
