#include "rules/config/config_search.h"

#include <fmt/format.h>

#include <filesystem>

#include "core/base/text.h"
#include "core/source/path.h"
#include "rules/config/config_reader.h"

namespace cnsched::rules {

namespace fs = std::filesystem;

namespace {

bool is_config(const fs::path& path) {
  // A dangling link or a directory is an error when it is read, not a missing configuration.
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  return fs::exists(status) && !fs::is_other(status);
}

}  // namespace

ConfigSearch::ConfigSearch(Sources& sources)
    : sources_(sources), reader_(std::make_unique<ConfigReader>(sources)) {}

ConfigSearch::~ConfigSearch() = default;

void ConfigSearch::use_only(const std::string& path) {
  if (!searches_) return;
  searches_ = false;
  only_ = reader_->read_named(path);
}

const Config* ConfigSearch::at(const std::string& directory) {
  if (!searches_) return only_;
  const auto known = by_directory_.find(directory);
  if (known != by_directory_.end()) return known->second;
  const Config* config = nullptr;
  if (is_config(fs::path(directory) / kConfigName)) {
    config = reader_->read((fs::path(directory) / kConfigName).string());
  } else if (const std::string above = parent_in_repository(directory); !above.empty()) {
    config = at(above);
  }
  by_directory_[directory] = config;
  return config;
}

std::optional<std::string> ConfigSearch::exclusion_of(const std::string& real, bool is_directory) {
  const Config* config = at(directory_of(real));
  if (config == nullptr) return std::nullopt;
  for (auto entry = config->exclude.rbegin(); entry != config->exclude.rend(); ++entry) {
    const std::string path = path_below(entry->directory, real);
    if (path.empty()) continue;
    const auto verdict = entry->pattern.verdict(path, is_directory);
    if (verdict == IgnorePatterns::Verdict::included) return std::nullopt;
    if (verdict != IgnorePatterns::Verdict::ignored) continue;
    return fmt::format("excluded by '{}' ({})", printable(entry->where->text()),
                       describe_line(entry->where->span, sources_));
  }
  return std::nullopt;
}

Result<Configs> ConfigSearch::finish(const std::vector<std::string>& files) {
  Configs configs;
  configs.only_ = only_;
  for (const std::string& file : files) {
    const std::string directory = directory_of(file);
    if (!searches_ || configs.by_directory_.contains(directory)) continue;
    configs.by_directory_[directory] = at(directory_of(real_path(file)));
  }
  configs.configs_ = reader_->configs();
  if (!reader_->errors().empty()) return joined(reader_->errors());
  return configs;
}

}  // namespace cnsched::rules
