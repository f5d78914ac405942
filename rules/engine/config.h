#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/workloads/cluster_config.h"
#include "core/workloads/workspace.h"
#include "core/yaml/document.h"

namespace cnsched::rules {

inline constexpr std::string_view kConfigName = ".cnsched.yaml";

/// One configuration file as read.
struct Config {
  yaml::Document document;  ///< holds the nodes that the sections view
  ClusterConfig cluster;
  std::vector<std::string> template_dirs;  ///< of `generate`; as the working directory sees them
};

/// The configurations of a run: the one that was named, or for each file the nearest
/// `.cnsched.yaml` above it, up to the root of its repository.
class Configs {
 public:
  /// No file has a configuration.
  static Configs none() { return {}; }
  /// `path` holds for every file. Fails with one line per error.
  static Result<Configs> only(const std::string& path, Sources& sources);
  /// Searches for the configurations of `files`. Fails with one line per error.
  static Result<Configs> discover(const std::vector<std::string>& files, Sources& sources);

  /// The configuration that holds for `file`, or null.
  const Config* find(const std::string& file) const;

 private:
  std::vector<std::shared_ptr<const Config>> configs_;
  const Config* only_ = nullptr;
  std::map<std::string, const Config*> by_directory_;
};

}  // namespace cnsched::rules
