#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/source/ignore_patterns.h"
#include "core/workloads/cluster_config.h"
#include "core/workloads/workspace.h"
#include "core/yaml/document.h"
#include "rules/engine/level.h"

namespace cnsched::rules {

inline constexpr std::string_view kConfigName = ".cnsched.yaml";

/// Objects by kind, name and namespace: patterns (core/source/glob.h), or nothing for any.
struct ObjectPattern {
  std::optional<std::string_view> kind;
  std::optional<std::string_view> name;
  std::optional<std::string_view> ns;

  bool matches(const Subject& subject) const;
};

/// What one `rules:` section says, and of what.
struct RuleLayer {
  bool every_file = true;                ///< else those of `files`
  IgnorePatterns files{};                ///< relative to `directory`
  std::string directory{};               ///< absolute
  std::vector<ObjectPattern> objects{};  ///< any of them; empty: every finding
  Levels levels{};

  bool holds_for_file(const std::string& real) const;
  bool holds_for(const Subject& subject) const;
};

/// One pattern of `exclude:`.
struct Exclusion {
  IgnorePatterns pattern;
  std::string directory;  ///< absolute; what it is relative to
  const yaml::Node* where = nullptr;
};

/// A configuration file as read, with what it extends. The nodes are of any of these files.
struct Config {
  std::vector<std::string> files;  ///< the file and those that it extends, the strongest first
  const yaml::Node* root = &yaml::missing_node();  ///< what they say together
  ClusterConfig cluster;
  std::vector<std::string> cluster_files;  ///< as the working directory sees them
  std::vector<std::string> template_dirs;  ///< of `generate`; as the working directory sees them
  std::vector<Exclusion> exclude;
  std::vector<RuleLayer> rules;  ///< `rules`, then `overrides`: the later wins

  yaml::Document document;  ///< the file's own
  Arena arena;              ///< holds what was made of several files
  std::vector<std::shared_ptr<const Config>> extended;
};

/// What the configuration of a file says of the rules there.
class RuleSettings {
 public:
  RuleSettings() = default;
  /// For the file at `real`, an absolute path.
  RuleSettings(const Config& config, const std::string& real);

  /// What is said of the rule for findings about `subject`; null if nothing.
  const Levels::Said* find(std::string_view id, const Subject& subject) const;

 private:
  std::vector<const RuleLayer*> layers_;  ///< the strongest first
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
  RuleSettings rules_for(const std::string& file) const;
  /// Whether some file may have findings of the rule.
  bool may_run(std::string_view id) const;
  /// The files of `cluster: files`, each once, with the configurations that they are for.
  std::vector<FactFile> cluster_files() const;

 private:
  friend class ConfigSearch;
  /// Each that holds for some file, in the order of their reading; null if none does for some.
  std::vector<const Config*> in_use() const;

  std::vector<std::shared_ptr<const Config>> configs_;
  const Config* only_ = nullptr;
  std::map<std::string, const Config*> by_directory_;
};

}  // namespace cnsched::rules
