#include "rules/engine/config.h"

#include <fmt/format.h>

#include <filesystem>

#include "core/base/text.h"
#include "core/source/discover.h"
#include "core/yaml/parse.h"
#include "core/yaml/split.h"
#include "core/yaml/strict_reader.h"

namespace cnsched::rules {

namespace fs = std::filesystem;

namespace {

std::string directory_of(const std::string& file) {
  const std::string directory = fs::path(file).parent_path().string();
  return directory.empty() ? "." : directory;
}

/// Relative ones lie beside the configuration.
std::vector<std::string> read_template_dirs(const yaml::Node& section, const fs::path& directory,
                                            yaml::StrictReader& reader) {
  std::vector<std::string> directories;
  if (!reader.mapping(section, "generate", {"templateDirs"})) return directories;
  for (const yaml::Node* item : reader.list(section["templateDirs"], "templateDirs")) {
    const auto path = reader.string(*item, "templateDirs[]");
    if (path) directories.push_back((directory / *path).lexically_normal().string());
  }
  return directories;
}

/// Reads one file and keeps its bytes among `sources`, since findings may point into it.
Result<std::shared_ptr<const Config>> read_config(const std::string& path, Sources& sources) {
  Result<std::string> bytes = read_file(path, kFileSizeLimit);
  if (!bytes) return Error{fmt::format("{}: {}", printable(path), bytes.error().message)};
  sources.push_back(
      std::make_unique<SourceFile>(static_cast<FileId>(sources.size()), path, *std::move(bytes)));
  const SourceFile& file = *sources.back();

  auto config = std::make_shared<Config>();
  std::vector<Error> errors;
  yaml::StrictReader reader(file, errors);
  const std::vector<Span> documents = yaml::split(file);
  if (documents.empty()) return std::shared_ptr<const Config>(std::move(config));
  if (documents.size() > 1) reader.add_error(documents[1], "a configuration is one document");
  config->document = yaml::parse(file, documents.front());
  for (const yaml::Problem& problem : config->document.problems) {
    reader.add_error(problem.where, problem.message);
  }
  const yaml::Node& root = *config->document.root;
  if (reader.mapping(root, "the configuration", {"cluster", "generate"})) {
    config->cluster = read_cluster_config(root["cluster"], reader);
    config->template_dirs = read_template_dirs(root["generate"], directory_of(path), reader);
  }
  if (errors.empty()) return std::shared_ptr<const Config>(std::move(config));
  std::string all;
  for (const Error& error : errors) all += (all.empty() ? "" : "\n") + error.message;
  return Error{all};
}

/// The nearest configuration file in `directory` or above it, within the repository; or nothing.
std::string nearest_config(const std::string& directory) {
  std::error_code error;
  const std::string root = repository_root(directory);
  fs::path at = fs::weakly_canonical(directory, error);
  while (true) {
    const fs::path candidate = at / kConfigName;
    // A dangling link or a directory is an error when it is read, not a missing configuration.
    const fs::file_status status = fs::symlink_status(candidate, error);
    if (fs::exists(status) && !fs::is_other(status)) return candidate.string();
    if (at == root || at == at.parent_path()) return {};
    at = at.parent_path();
  }
}

/// As the user would name it, if that is shorter.
std::string shown(const std::string& path) {
  std::error_code error;
  const std::string relative = fs::path(path).lexically_relative(fs::current_path(error)).string();
  return relative.empty() || relative.starts_with("..") ? path : relative;
}

}  // namespace

Result<Configs> Configs::only(const std::string& path, Sources& sources) {
  auto config = read_config(path, sources);
  if (!config) return config.error();
  Configs configs;
  configs.configs_.push_back(*std::move(config));
  configs.only_ = configs.configs_.back().get();
  return configs;
}

Result<Configs> Configs::discover(const std::vector<std::string>& files, Sources& sources) {
  Configs configs;
  std::map<std::string, const Config*> by_path;
  std::string errors;
  for (const std::string& file : files) {
    const std::string directory = directory_of(file);
    if (configs.by_directory_.contains(directory)) continue;
    const std::string path = nearest_config(directory);
    if (!path.empty() && !by_path.contains(path)) {
      auto config = read_config(shown(path), sources);
      if (!config) {
        errors += (errors.empty() ? "" : "\n") + config.error().message;
        by_path[path] = nullptr;
      } else {
        configs.configs_.push_back(*std::move(config));
        by_path[path] = configs.configs_.back().get();
      }
    }
    configs.by_directory_[directory] = path.empty() ? nullptr : by_path[path];
  }
  if (!errors.empty()) return Error{errors};
  return configs;
}

const Config* Configs::find(const std::string& file) const {
  if (only_ != nullptr) return only_;
  const auto found = by_directory_.find(directory_of(file));
  return found == by_directory_.end() ? nullptr : found->second;
}

}  // namespace cnsched::rules
