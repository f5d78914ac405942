#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/packages/variant.h"
#include "core/yaml/shape.h"
#include "rules/config/config.h"

namespace cnsched::rules {

/// Reads configuration files and the files that they extend, each once.
class ConfigReader {
 public:
  /// Stores their bytes in `sources`.
  explicit ConfigReader(Sources& sources) : sources_(sources) {}

  /// Reads the file of --config, which may be a pipe and may name any file. Null, with errors, if
  /// it is unreadable or invalid.
  const Config* read_named(const std::string& path);
  /// Reads a discovered file, which must be in its repository, as must be all that it names.
  const Config* read(const std::string& path);

  const std::vector<std::shared_ptr<const Config>>& configs() const { return configs_; }
  /// Of all files so far.
  const std::vector<Error>& errors() const { return errors_; }

 private:
  using Pointer = std::shared_ptr<const Config>;
  /// Where a file, and what it names, must be; nothing: anywhere.
  using Root = std::optional<std::string>;

  Pointer read_once(const std::string& path, const Root& root);
  /// Null, with errors, if the content is invalid. `named`: by --config.
  Pointer read_bytes(const std::string& path, std::string bytes, bool named, const Root& root);
  /// The files that the file extends; null for an invalid one.
  std::vector<Pointer> read_extended(const yaml::Node& extends, const std::string& path,
                                     const Root& root, yaml::StrictReader& reader);
  /// The policies of the file and of those that it names.
  std::vector<std::shared_ptr<const Policy>> read_policies_of(const yaml::Node& own,
                                                              const SourceFile& file,
                                                              const Root& root,
                                                              yaml::StrictReader& reader);
  /// Those of a file, or of the files in a directory.
  void add_policies_at(const yaml::Node& item, const SourceFile& file, const Root& root,
                       yaml::StrictReader& reader,
                       std::vector<std::shared_ptr<const Policy>>& policies);
  /// Those of one file, which is read once.
  const std::vector<std::shared_ptr<const Policy>>& policies_in(const std::string& path);
  Pointer extended_by(const yaml::Node& name, const std::string& path, const Root& root,
                      yaml::StrictReader& reader);
  void fail(const std::string& path, const std::string& message);

  Sources& sources_;
  std::vector<Error> errors_;
  std::vector<Pointer> configs_;
  /// By real path and root; null: invalid, or in progress.
  std::map<std::pair<std::string, Root>, Pointer> by_path_;
  std::map<std::string, std::vector<std::shared_ptr<const Policy>>> policies_;  ///< by real path
  std::vector<std::string> being_read_;  ///< real paths, outermost first
};

/// The keys of a configuration. The reader, the JSON Schema, the initial file and the manual page
/// are generated from it.
const yaml::Shape& config_shape();

/// The keys of `render`.
yaml::Shape render_shape();

/// Reports what the shape does not show, and any section in a file that was not named by --config:
/// it starts programs, and a file that is found comes from whom the manifests come from.
void check_render(const yaml::Node& section, bool named, yaml::StrictReader& reader);

/// Reads a valid section of a file in `directory`, which its paths are relative to.
packages::RenderSettings read_render(const yaml::Node& section, const std::string& directory);

}  // namespace cnsched::rules
