#include "cli/output/config_page.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/output/json.h"
#include "core/base/text.h"
#include "core/yaml/tree.h"
#include "core/yaml/write.h"
#include "rules/config/config_shape.h"
#include "rules/registry.h"

namespace cnsched::cli {

namespace {

using yaml::Node;

/// The effective configuration as a tree: every rule, and the other sections as written.
class Page {
 public:
  explicit Page(const EffectiveConfig& effective) : effective_(effective) {
    std::vector<yaml::Entry> entries;
    for (const yaml::Field& field : rules::config_shape().fields) {
      // The extended files are merged already.
      if (field.name == "extends") continue;
      const Node& section = field.name == "rules" ? rules() : written(field);
      entries.push_back(yaml::entry_of(arena_, field.name, section));
    }
    root_ = &yaml::mapping_like(arena_, yaml::nowhere(), entries);
  }

  const Node& root() const { return *root_; }

  std::string place_of(const Node& node) const {
    if (defaults_.contains(&node)) return "default";
    if (const auto policy = policies_.find(&node); policy != policies_.end()) {
      return policy->second->place;
    }
    return describe_line(node.span, effective_.sources);
  }

 private:
  const Node& by_default(const Node& node) {
    defaults_.insert(&node);
    return node;
  }

  const Node& written(const yaml::Field& field) {
    if (effective_.config != nullptr) {
      const Node& section = (*effective_.config->root)[field.name];
      if (section && !section.is_null()) return section;
    }
    const bool list = field.shape.type == yaml::Shape::Type::list;
    return by_default(list ? yaml::sequence_like(arena_, yaml::nowhere(), {})
                           : yaml::mapping_like(arena_, yaml::nowhere(), {}));
  }

  const Node& rules() {
    std::vector<yaml::Entry> entries;
    for (const rules::Listed& listed : rules::all_rules()) {
      const rules::Rule& rule = *listed.rule;
      const rules::Levels::Setting* setting = effective_.rules.find(rule.id, {});
      const Node& level =
          setting == nullptr
              ? by_default(yaml::string_like(arena_, yaml::nowhere(), name_of(rule.severity)))
              : yaml::string_like(arena_, *setting->where, rules::name_of(setting->level));
      entries.push_back(yaml::entry_of(arena_, rule.id, level));
    }
    if (effective_.config == nullptr) return yaml::mapping_like(arena_, yaml::nowhere(), entries);
    for (const auto& policy : effective_.config->policies) {
      const rules::Levels::Setting* setting = effective_.rules.find(policy->id, {});
      const Node& level =
          setting == nullptr
              ? yaml::string_like(arena_, yaml::nowhere(), name_of(policy->severity))
              : yaml::string_like(arena_, *setting->where, rules::name_of(setting->level));
      if (setting == nullptr) policies_[&level] = policy.get();
      entries.push_back(yaml::entry_of(arena_, policy->id, level));
    }
    return yaml::mapping_like(arena_, yaml::nowhere(), entries);
  }

  const EffectiveConfig& effective_;
  Arena arena_;
  std::set<const Node*> defaults_;
  std::map<const Node*, const rules::Policy*> policies_;
  const Node* root_ = nullptr;
};

/// A comment with the configuration and the files that it extends.
std::string described_files(const rules::Config* config) {
  if (config == nullptr) return "# no configuration applies\n";
  std::vector<std::string> extended;
  for (const std::string& file : config->files) extended.push_back(printable(file));
  const std::string own = extended.front();
  extended.erase(extended.begin());
  if (extended.empty()) return fmt::format("# from {}\n", own);
  return fmt::format("# from {}, which extends {}\n", own, join_words(extended));
}

/// "0.13 (.cnsched.yaml:3)", or "newest (0.20)".
std::string words_for(Project project, const EffectiveConfig& effective) {
  std::vector<std::string> words;
  for (const facts::StatedRelease& release : effective.releases.of(project)) {
    words.push_back(fmt::format("{} ({})", to_string(release.version),
                                describe_source(release, effective.sources)));
  }
  if (words.empty()) return fmt::format("newest ({})", k8s::schema::newest(project));
  return join_words(words);
}

std::string described_releases(const EffectiveConfig& effective) {
  std::string text = "# fields are judged by these releases:\n";
  for (const Project project : k8s::schema::kProjects) {
    text += fmt::format("#   {}: {}\n", key_of(project), words_for(project, effective));
  }
  if (effective.definitions.empty()) return text;
  text += "# and by these CustomResourceDefinitions:\n";
  for (const auto* each : effective.definitions) {
    text += fmt::format("#   {} {}: {}\n", printable(each->api_version), printable(each->kind),
                        describe_line(each->place->span, effective.sources));
  }
  return text;
}

void add_releases(const EffectiveConfig& effective, Json& json) {
  json["releases"] = Json::array();
  for (const Project project : k8s::schema::kProjects) {
    for (const facts::StatedRelease& release : effective.releases.of(project)) {
      json["releases"].push_back({{"project", key_of(project)},
                                  {"release", to_string(release.version)},
                                  {"source", describe_source(release, effective.sources)}});
    }
  }
  json["definitions"] = Json::array();
  for (const auto* each : effective.definitions) {
    json["definitions"].push_back(
        {{"apiVersion", each->api_version},
         {"kind", each->kind},
         {"source", describe_line(each->place->span, effective.sources)}});
  }
}

}  // namespace

void write_config(const EffectiveConfig& effective, std::ostream& out) {
  out << described_files(effective.config) << described_releases(effective);
  const Page page(effective);
  out << yaml::to_yaml(page.root(), [&](const Node& node) { return page.place_of(node); });
}

Json json_of(const EffectiveConfig& effective) {
  Json json = {{"schemaVersion", 1}, {"files", Json::array()}};
  if (effective.config != nullptr) json["files"] = effective.config->files;
  add_releases(effective, json);
  const Page page(effective);
  json["config"] = json_of(page.root());
  return json;
}

}  // namespace cnsched::cli
