#include "rules/config/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/base/text.h"
#include "core/source/path.h"
#include "rules/config/config_reader.h"
#include "rules/policy/policy.h"
#include "rules/registry.h"

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

bool ObjectPattern::matches(const Subject& subject) const {
  return (!kind || kind->matches(subject.kind)) && (!name || name->matches(subject.name)) &&
         (!ns || ns->matches(subject.ns));
}

bool FilePatterns::match(const std::string& real) const {
  const std::string path = path_below(directory, real);
  return !path.empty() && patterns.ignores(path);
}

bool RuleLayer::applies_to_file(const std::string& real) const {
  return !files || files->match(real);
}

bool RuleLayer::applies_to(const Subject& subject) const {
  if (objects.empty()) return true;
  return !subject.kind.empty() &&
         std::ranges::any_of(objects, [&](const auto& object) { return object.matches(subject); });
}

RuleSettings::RuleSettings(const Config& config, const std::string& real) {
  for (auto layer = config.rules.rbegin(); layer != config.rules.rend(); ++layer) {
    if (layer->applies_to_file(real)) layers_.push_back(&*layer);
  }
}

const Levels::Setting* RuleSettings::find(std::string_view id, const Subject& subject) const {
  for (const RuleLayer* layer : layers_) {
    if (!layer->applies_to(subject)) continue;
    if (const Levels::Setting* setting = layer->levels.find(id)) return setting;
  }
  return nullptr;
}

Result<Configs> Configs::only(const std::string& path, Sources& sources) {
  ConfigSearch search(sources);
  search.use_only(path);
  return search.finish({});
}

Result<Configs> Configs::discover(const std::vector<std::string>& files, Sources& sources) {
  return ConfigSearch(sources).finish(files);
}

const Config* Configs::find(const std::string& file) const {
  if (only_ != nullptr) return only_;
  const auto found = by_directory_.find(directory_of(file));
  return found == by_directory_.end() ? nullptr : found->second;
}

RuleSettings Configs::rules_for(const std::string& file) const {
  const Config* config = find(file);
  return config == nullptr ? RuleSettings() : RuleSettings(*config, real_path(file));
}

std::vector<const Config*> Configs::in_use() const {
  if (only_ != nullptr || by_directory_.empty()) return {only_};
  std::vector<const Config*> used;
  for (const auto& [directory, config] : by_directory_) {
    if (!is_one_of(config, used)) used.push_back(config);
  }
  return used;
}

bool Configs::may_run(std::string_view id) const {
  return std::ranges::any_of(in_use(), [&](const Config* config) {
    if (config == nullptr) return true;
    const Levels::Setting* first = config->rules.front().levels.find(id);
    if (first == nullptr || first->level != Level::off) return true;
    return std::ranges::any_of(config->rules, [&](const RuleLayer& layer) {
      const Levels::Setting* setting = layer.levels.find(id);
      return setting != nullptr && setting->level != Level::off;
    });
  });
}

std::vector<FactFile> Configs::cluster_files() const {
  std::vector<FactFile> files;
  std::map<std::string, std::size_t> place_of;
  for (const Config* config : in_use()) {
    if (config == nullptr) continue;
    for (const std::string& path : config->cluster_files) {
      const auto [place, is_new] = place_of.try_emplace(file_identity(path), files.size());
      if (is_new) files.push_back({path, {}});
      std::vector<const facts::ClusterConfig*>& owners = files[place->second].only_for;
      if (owners.empty() || owners.back() != &config->cluster) owners.push_back(&config->cluster);
    }
  }
  return files;
}

std::vector<std::pair<const facts::ClusterConfig*, std::shared_ptr<const Policy>>>
Configs::policies() const {
  std::vector<std::pair<const facts::ClusterConfig*, std::shared_ptr<const Policy>>> all;
  for (const Config* config : in_use()) {
    if (config == nullptr) continue;
    for (const auto& policy : config->policies) all.emplace_back(&config->cluster, policy);
  }
  return all;
}

std::vector<DeclaredCluster> Configs::clusters() const {
  std::map<std::string_view, std::vector<const FilePatterns*>> by_name;
  for (const Config* config : in_use()) {
    if (config == nullptr) continue;
    for (const ClusterPattern& cluster : config->clusters) {
      by_name[cluster.name].push_back(&cluster.files);
    }
  }
  std::vector<DeclaredCluster> clusters;
  for (auto& [name, files] : by_name) {
    clusters.push_back({std::string(name), [files](const std::string& path) {
                          const std::string real = real_path(path);
                          return std::ranges::any_of(
                              files, [&](const FilePatterns* each) { return each->match(real); });
                        }});
  }
  return clusters;
}

const std::vector<std::string_view>& level_names() {
  static const std::vector<std::string_view> names = {"off", "info", "warning", "error"};
  return names;
}

std::string_view name_of(Level level) { return level_names()[static_cast<std::size_t>(level)]; }

std::optional<Level> level_named(std::string_view name) {
  const auto found = std::ranges::find(level_names(), name);
  if (found == level_names().end()) return std::nullopt;
  return static_cast<Level>(found - level_names().begin());
}

std::optional<Severity> severity_of(Level level) {
  if (level == Level::off) return std::nullopt;
  return static_cast<Severity>(static_cast<int>(level) - 1);  // the same levels, without `off`
}

const Levels::Setting* Levels::find(std::string_view id) const {
  const Listed* listed = find_rule(id);
  const std::string_view follows = listed == nullptr ? std::string_view() : listed->rule->follows;
  // Every other rule is a policy.
  const std::string_view group = listed == nullptr ? kPolicyGroup : listed->group;
  for (const std::string_view word : {id, follows, group, kAllRules}) {
    const auto found = by_word_.find(word);
    if (found != by_word_.end()) return &found->second;
  }
  return nullptr;
}

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
