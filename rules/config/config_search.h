#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rules/config/config.h"

namespace cnsched::rules {

class ConfigReader;

/// Reads the configurations of a run during file discovery, each once.
class ConfigSearch {
 public:
  /// Stores the bytes in `sources`, because findings may point into them.
  explicit ConfigSearch(Sources& sources);
  ~ConfigSearch();
  ConfigSearch(const ConfigSearch&) = delete;
  ConfigSearch& operator=(const ConfigSearch&) = delete;

  /// Uses `path` for every file, without a search. Only the first call has an effect, because a
  /// pipe can be read only once.
  void use_only(const std::string& path);
  /// Why the configuration excludes `real` (absolute, see real_path): "excluded by 'charts/'
  /// (.cnsched.yaml:3)"; nothing if it does not. Does not check the directories above.
  std::optional<std::string> exclusion_of(const std::string& real, bool is_directory);
  /// The configurations of `files`. Fails with all errors so far, one per line.
  Result<Configs> finish(const std::vector<std::string>& files);

 private:
  /// The configuration of a directory, by its real path; null if there is none.
  const Config* at(const std::string& directory);

  Sources& sources_;
  std::unique_ptr<ConfigReader> reader_;
  const Config* only_ = nullptr;
  bool searches_ = true;
  std::map<std::string, const Config*> by_directory_;
};

}  // namespace cnsched::rules
