#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/yaml/shape.h"
#include "rules/config/config.h"

namespace cnsched::rules {

/// Reads configuration files and the files that they extend, each once.
class ConfigReader {
 public:
  /// Stores their bytes in `sources`.
  explicit ConfigReader(Sources& sources) : sources_(sources) {}

  /// Reads the file of --config, which may be a pipe. Null, with errors, if it is unreadable or
  /// invalid.
  const Config* read_named(const std::string& path);
  /// Reads a discovered or extended file, which must be a regular file.
  const Config* read(const std::string& path);

  const std::vector<std::shared_ptr<const Config>>& configs() const { return configs_; }
  /// Of all files so far.
  const std::vector<Error>& errors() const { return errors_; }

 private:
  using Pointer = std::shared_ptr<const Config>;

  Pointer read_once(const std::string& path);
  /// Null, with errors, if the content is invalid. `named`: by --config.
  Pointer read_bytes(const std::string& path, std::string bytes, bool named);
  /// The files that the file extends; null for an invalid one.
  std::vector<Pointer> read_extended(const yaml::Node& extends, const std::string& path,
                                     yaml::StrictReader& reader);
  /// The policies of the file and of those that it names.
  std::vector<std::shared_ptr<const Policy>> read_policies_of(const yaml::Node& own,
                                                              const SourceFile& file,
                                                              yaml::StrictReader& reader);
  /// Those of a file, or of the files in a directory.
  void add_policies_at(const yaml::Node& item, const SourceFile& file, yaml::StrictReader& reader,
                       std::vector<std::shared_ptr<const Policy>>& policies);
  /// Those of one file, which is read once.
  const std::vector<std::shared_ptr<const Policy>>& policies_in(const std::string& path);
  Pointer extended_by(const yaml::Node& name, const std::string& path, yaml::StrictReader& reader);
  void fail(const std::string& path, const std::string& message);

  Sources& sources_;
  std::vector<Error> errors_;
  std::vector<Pointer> configs_;
  std::map<std::string, Pointer> by_path_;  ///< by real path; null: invalid, or in progress
  std::map<std::string, std::vector<std::shared_ptr<const Policy>>> policies_;  ///< by real path
  std::vector<std::string> being_read_;  ///< real paths, outermost first
};

}  // namespace cnsched::rules
