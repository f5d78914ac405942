#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/change/totals.h"
#include "core/diag/diagnostic.h"
#include "core/facts/cluster_config.h"
#include "core/packages/variant.h"
#include "core/workspace/load_options.h"
#include "core/yaml/document.h"
#include "core/yaml/node.h"
#include "rules/policy/policy.h"

namespace cnsched::rules {

/// The configured severity of a rule, or off.
enum class Level : std::uint8_t { off, info, warning, error };

/// The name of a level in `rules:` and --severity.
std::string_view name_of(Level level);
const std::vector<std::string_view>& level_names();
std::optional<Level> level_named(std::string_view name);
/// Nothing for `off`.
std::optional<Severity> severity_of(Level level);

/// A `rules:` section: levels by id, group or `all`. The most specific entry for a rule counts.
class Levels {
 public:
  struct Setting {
    Level level = Level::off;
    const yaml::Node* where = nullptr;
  };

  void set(std::string_view word, Setting setting) { by_word_[word] = setting; }
  /// Null if the section does not mention the rule.
  const Setting* find(std::string_view id) const;

 private:
  std::map<std::string_view, Setting> by_word_;
};

inline constexpr std::string_view kConfigName = ".cnsched.yaml";

/// Objects by kind, name and namespace: patterns, or nothing for any.
struct ObjectPattern {
  std::optional<Glob> kind;
  std::optional<Glob> name;
  std::optional<Glob> ns;

  bool matches(const Subject& subject) const;
};

/// One `rules:` section, and the files and objects it applies to.
struct RuleLayer {
  std::optional<FilePatterns> files{};   ///< nothing: every file
  std::vector<ObjectPattern> objects{};  ///< any of them; empty: every finding
  Levels levels{};

  bool applies_to_file(const std::string& real) const;
  bool applies_to(const Subject& subject) const;
};

/// One item of `clusters:`.
struct ClusterPattern {
  std::string name;
  FilePatterns files;
};

/// One pattern of `exclude:`.
struct Exclusion {
  IgnorePatterns pattern;
  std::string directory;  ///< absolute; the pattern is relative to it
  const yaml::Node* where = nullptr;
};

/// A configuration file, merged with the files that it extends. Nodes may belong to any of them.
struct Config {
  std::vector<std::string> files;  ///< the file and those that it extends, highest precedence first
  const yaml::Node* root = &yaml::missing_node();  ///< the merged content
  facts::ClusterConfig cluster;
  std::vector<std::string> cluster_files;  ///< relative to the working directory
  std::vector<ClusterPattern> clusters;
  std::vector<std::string> template_dirs;  ///< of `generate`; relative to the working directory
  packages::RenderSettings render;         ///< only of a file given with --config
  change::Prices prices;                   ///< for `cnsched diff`
  std::vector<Exclusion> exclude;
  std::vector<RuleLayer> rules;  ///< `rules`, then `overrides`: later ones take precedence
  /// With those of the files that it extends.
  std::vector<std::shared_ptr<const Policy>> policies;

  yaml::Document document;  ///< the file's own
  Arena arena;              ///< of merged nodes
  std::vector<std::shared_ptr<const Config>> extended;
};

/// The rule settings that apply to one file.
class RuleSettings {
 public:
  RuleSettings() = default;
  /// For the file at `real`, an absolute path.
  RuleSettings(const Config& config, const std::string& real);

  /// The setting for findings of the rule about `subject`; null if there is none.
  const Levels::Setting* find(std::string_view id, const Subject& subject) const;

 private:
  std::vector<const RuleLayer*> layers_;  ///< highest precedence first
};

/// The configurations of a run: the one from --config, or for each file the nearest `.cnsched.yaml`
/// in a directory above it, up to the root of its repository.
class Configs {
 public:
  /// `path` applies to every file. Fails with one line per error.
  static Result<Configs> only(const std::string& path, Sources& sources);
  /// Searches for the configurations of `files`. Fails with one line per error.
  static Result<Configs> discover(const std::vector<std::string>& files, Sources& sources);

  /// The configuration of `file`, or null.
  const Config* find(const std::string& file) const;
  RuleSettings rules_for(const std::string& file) const;
  /// Whether the rule can report anything in any file.
  bool may_run(std::string_view id) const;
  /// The files of `cluster: files`, each once, with the configurations that name them.
  std::vector<FactFile> cluster_files() const;
  /// The policies of every configuration, with the key of that in a workspace.
  std::vector<std::pair<const facts::ClusterConfig*, std::shared_ptr<const Policy>>> policies()
      const;
  /// The clusters of `clusters`, by name. This must outlive the result.
  std::vector<DeclaredCluster> clusters() const;

 private:
  friend class ConfigSearch;
  /// The configurations in use; null for files without one.
  std::vector<const Config*> in_use() const;

  std::vector<std::shared_ptr<const Config>> configs_;
  const Config* only_ = nullptr;
  std::map<std::string, const Config*> by_directory_;
};

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
