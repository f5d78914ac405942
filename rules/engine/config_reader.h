#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/config.h"

namespace cnsched::rules {

/// Reads configuration files and what they extend, each once.
class ConfigReader {
 public:
  /// Keeps their bytes among `sources`.
  explicit ConfigReader(Sources& sources) : sources_(sources) {}

  /// The file that a user has named: perhaps a pipe. Null, with errors, if it cannot be read or
  /// understood.
  const Config* read_named(const std::string& path);
  /// A regular file that was found or is extended.
  const Config* read(const std::string& path);

  const std::vector<std::shared_ptr<const Config>>& configs() const { return configs_; }
  /// Of all files so far.
  const std::vector<Error>& errors() const { return errors_; }

 private:
  using Pointer = std::shared_ptr<const Config>;

  Pointer read_once(const std::string& path);
  /// Null, with errors, if anything is wrong.
  Pointer read_bytes(const std::string& path, std::string bytes);
  /// What the file extends, read; empty entries for what is wrong.
  std::vector<Pointer> read_extended(const yaml::Node& extends, const std::string& path,
                                     yaml::StrictReader& reader);
  Pointer extended_by(const yaml::Node& name, const std::string& path, yaml::StrictReader& reader);
  void fail(const std::string& path, const std::string& message);

  Sources& sources_;
  std::vector<Error> errors_;
  std::vector<Pointer> configs_;
  std::map<std::string, Pointer> by_path_;  ///< by real path; null: wrong, or being read
  std::vector<std::string> being_read_;     ///< real paths, the outermost first
};

}  // namespace cnsched::rules
